// A pi extension that lets a script do over RPC what a person does in /tree and with labels:
//   /go <entry id> [summarize] [label]     go there, with a summary of what is left if asked
//   /mark <entry id> [label]               set a label, or clear it
export default function (pi: any) {
  pi.registerCommand("go", {
    description: "navigate the session tree",
    handler: async (args: string, ctx: any) => {
      const [id, how, label] = args.trim().split(/\s+/);
      await ctx.navigateTree(id, { summarize: how === "summarize", label });
      ctx.ui.notify(`went to ${id}`, "info");
    },
  });
  pi.registerCommand("mark", {
    description: "label an entry",
    handler: async (args: string, ctx: any) => {
      const [id, ...label] = args.trim().split(/\s+/);
      pi.setLabel(id, label.join(" ") || undefined);
      ctx.ui.notify(`marked ${id}`, "info");
    },
  });
}
