/** A real browser before a real daemon, with the demo sessions in a home folder of its own. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");

/** The program under test. */
function program(): string {
  const named = process.env.PI_BRAIN ?? join(ROOT, "target/debug/pi-brain");
  if (!existsSync(named))
    throw new Error(`there is no program at ${named}: run \`cargo build\`, or name one in PI_BRAIN`);
  return named;
}

/** The browser: Debian's, or the one that is named. */
function browserPath(): string {
  const path = process.env.CHROME_PATH ?? "/usr/bin/chromium";
  if (!existsSync(path))
    throw new Error(`there is no browser at ${path}: install chromium, or name one in CHROME_PATH`);
  return path;
}

export const WIDTHS = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } } as const;

/** A daemon of its own, with its own home folder. */
export class Brain {
  readonly home = mkdtempSync(join(tmpdir(), "pi-brain-page-"));
  address = "";
  #daemon: ChildProcess | undefined;

  /** The folder of the session files. */
  get sessions(): string {
    return join(this.home, ".pi-brain/demo/agent/sessions");
  }

  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, HOME: this.home, PI_BRAIN_HOME: "", PI_CODING_AGENT_DIR: "", TZ: "UTC" };
  }

  /** Makes the demo set; `before` may put more session files beside it before they are taken in. */
  prepare(before: (sessions: string) => void = () => undefined): this {
    execFileSync(program(), ["demo"], { env: this.environment, stdio: "ignore" });
    before(this.sessions);
    return this;
  }

  /** Runs a command on these sessions, as one does in a terminal. */
  command(...said: string[]): string {
    const options = { env: this.environment, cwd: this.home, encoding: "utf8" } as const;
    return execFileSync(program(), ["--session-dir", this.sessions, ...said], options);
  }

  /** Prepares everything, and starts a daemon. */
  async start(before: (sessions: string) => void = () => undefined): Promise<this> {
    this.prepare(before);
    await this.run();
    return this;
  }

  /** Runs the daemon: on any port that is free, on the one that PI_BRAIN_PORT names, or on the one that it had before. */
  async run(): Promise<void> {
    const port = this.address === "" ? (process.env.PI_BRAIN_PORT ?? "0") : new URL(this.address).port;
    const daemon = spawn(program(), ["--session-dir", this.sessions, "up", "--port", port], {
      env: this.environment,
    });
    this.#daemon = daemon;
    this.address = await new Promise<string>((found, failed) => {
      let said = "";
      const hear = (piece: Buffer): void => {
        said += piece.toString();
        const address = /http:\/\/127\.0\.0\.1:\d+/u.exec(said)?.[0];
        if (address !== undefined) found(address);
      };
      daemon.stdout.on("data", hear);
      daemon.stderr.on("data", hear);
      daemon.on("exit", () => failed(new Error(`the daemon ended: ${said}`)));
    });
  }

  /** Ends the daemon; everything else stays. */
  async end(): Promise<void> {
    const daemon = this.#daemon;
    if (daemon?.exitCode !== null) return;
    const ended = new Promise((done) => daemon.once("exit", done));
    daemon.kill("SIGTERM");
    await ended;
  }

  /** Ends the daemon and takes its folder away. */
  async stop(): Promise<void> {
    await this.end();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A browser that remembers whatever goes wrong in it. */
export class Visit {
  readonly problems: string[] = [];

  private constructor(
    readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
    readonly address: string,
  ) {}

  /** Opens a browser before a daemon, before the page that PI_BRAIN_PAGE names while it is worked on, or before a file. */
  static async open(
    brain: { address: string },
    options: Parameters<Browser["newContext"]>[0] = {},
    flags: readonly string[] = [],
  ): Promise<Visit> {
    const isFile = brain.address.startsWith("file:");
    const address = isFile ? brain.address : (process.env.PI_BRAIN_PAGE ?? brain.address);
    const browser = await chromium.launch({
      executablePath: browserPath(),
      args: [
        ..."--no-sandbox --disable-quic --no-first-run --disable-background-networking".split(" "),
        ..."--disable-component-update --disable-sync --enable-unsafe-swiftshader".split(" "),
        ...flags,
      ],
    });
    const context = await browser.newContext({ viewport: WIDTHS.desktop, timezoneId: "UTC", ...options });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    const visit = new Visit(browser, context, page, address);
    visit.#watch();
    return visit;
  }

  #watch(): void {
    const { page, problems, address } = this;
    page.on("console", (message) => {
      // Taking a picture makes the graphics driver complain of having to wait.
      if (message.text().includes("GPU stall due to ReadPixels")) return;
      if (message.type() === "error" || message.type() === "warning")
        problems.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("request", (request) => {
      const url = request.url();
      const isOurs = url.startsWith(address) || url.startsWith(address.replace(/^http/u, "ws"));
      if (!isOurs && !url.startsWith("data:") && !url.startsWith("blob:"))
        problems.push(`foreign request: ${url}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
    });
  }

  async go(path: string): Promise<void> {
    await this.page.goto(this.address + path, { waitUntil: "networkidle" });
  }

  /** Asserts that nothing went wrong so far, and that axe finds nothing serious on what is shown. */
  async isSound(): Promise<void> {
    const { violations } = await new AxeBuilder({ page: this.page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const found = serious.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map((node) => node.html)
          .slice(0, 3)
          .join(" | ")}`,
    );
    expect(found).toEqual([]);
    expect(this.problems).toEqual([]);
  }

  /** Takes pictures of a view at both widths, or those that are named, in both themes, for people to look at. */
  async picture(name: string, widths: Partial<typeof WIDTHS> = WIDTHS): Promise<void> {
    const folder = join(ROOT, "target/screenshots");
    mkdirSync(folder, { recursive: true });
    for (const [width, size] of Object.entries(widths)) {
      await this.page.setViewportSize(size);
      for (const colorScheme of ["light", "dark"] as const) {
        await this.page.emulateMedia({ colorScheme });
        await this.page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await this.page.setViewportSize(WIDTHS.desktop);
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
