// The parts of pi's extension API that are used here, as far as pi 0.73.1, 0.87.1 and 1.5.0 agree on
// them. They are written down instead of imported, because the package that declares them has another
// name in old pi than in new pi.

export type NoticeKind = "info" | "warning" | "error";

export interface TextBlock {
  type: "text";
  text: string;
}

export interface ToolResult<Details> {
  content: TextBlock[];
  details: Details;
}

export interface CustomMessage {
  customType: string;
  content: string;
  display: boolean;
  details?: unknown;
}

/** A line of the session file, with the fields that are looked at here. */
export interface Entry {
  type: string;
  id: string;
  parentId: string | null;
  timestamp: string;
  customType?: string;
  summary?: string;
  content?: unknown;
  message?: { role: string; content?: unknown };
}

export interface SessionReader {
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getLeafId(): string | null;
  getEntries(): Entry[];
  getBranch(): Entry[];
  getLabel(id: string): string | undefined;
}

export interface Context {
  readonly cwd: string;
  readonly hasUI: boolean;
  /** Absent in old pi. */
  readonly mode?: Mode;
  readonly model: { provider: string; id: string } | undefined;
  readonly sessionManager: SessionReader;
  readonly ui: {
    notify(message: string, type?: NoticeKind): void;
    setStatus(key: string, text: string | undefined): void;
    select(title: string, options: string[]): Promise<string | undefined>;
  };
  isIdle(): boolean;
}

export interface CommandContext extends Context {
  waitForIdle(): Promise<void>;
  navigateTree(targetId: string, options?: { summarize?: boolean }): Promise<{ cancelled: boolean }>;
}

export interface Completion {
  value: string;
  label: string;
  description?: string;
}

export interface Command {
  description: string;
  getArgumentCompletions?(prefix: string): Completion[] | null;
  handler(args: string, ctx: CommandContext): Promise<void>;
}

export interface Tool<Params, Details> {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  promptGuidelines: string[];
  /** A JSON Schema. */
  parameters: object;
  /** What it does and does not do, for extensions that ask before a tool runs. Old pi passes over it. */
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  execute(
    toolCallId: string,
    params: Params,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: ToolResult<Details>) => void) | undefined,
    ctx: Context,
  ): Promise<ToolResult<Details>>;
}

export type SessionEventName = "session_start" | "session_tree" | "session_compact" | "session_shutdown";

export interface Pi {
  on(event: SessionEventName, handler: (event: { reason?: string }, ctx: Context) => Promise<void> | void): void;
  on(event: "before_agent_start", handler: () => Promise<void>): void;
  registerTool<Params, Details>(tool: Tool<Params, Details>): void;
  registerCommand(name: string, command: Command): void;
  getCommands(): { name: string }[];
  sendMessage(message: CustomMessage, options?: { triggerTurn?: boolean }): void;
  appendEntry(customType: string, data: unknown): void;
  setLabel(entryId: string, label: string): void;
}

export type Mode = "tui" | "rpc" | "json" | "print";

/** How pi was started. Old pi does not tell, so there its command line has to. */
export function modeOf(ctx: Context, argv: readonly string[] = process.argv): Mode {
  if (ctx.mode) return ctx.mode;
  const asked = argv[argv.lastIndexOf("--mode") + 1];
  if (ctx.hasUI) return asked === "rpc" ? "rpc" : "tui";
  return asked === "json" ? "json" : "print";
}

/** What the brain is told about who asks. */
export function whereAsked(ctx: Context): { project: string; session: string; model: string | undefined } {
  const model = ctx.model && `${ctx.model.provider}/${ctx.model.id}`;
  return { project: ctx.cwd, session: ctx.sessionManager.getSessionId(), model };
}
