// Saying something to the person, in every mode of pi.
import { Writable } from "node:stream";
import { type CommandContext, type Context, modeOf, type NoticeKind, type Pi } from "./pi.ts";

/** A short notice. Where pi shows none, it goes to the terminal that pi was called from. */
export function notify(ctx: Context, text: string, kind: NoticeKind = "info"): void {
  if (ctx.hasUI) return ctx.ui.notify(text, kind);
  if (kind === "error") process.exitCode = 1;
  if (kind === "info" && modeOf(ctx) === "print") print(text);
  else process.stderr.write(`${text}\n`);
}

/** A message that the person sees now and the model with the next turn. It starts no turn. */
export async function addToConversation(
  pi: Pi,
  ctx: CommandContext,
  customType: string,
  content: string,
  details: unknown,
) {
  // While a run goes on, old pi would put the message into it and thereby prolong it.
  if (ctx.mode === undefined && !ctx.isIdle()) await ctx.waitForIdle();
  pi.sendMessage({ customType, content, display: true, details }, { triggerTurn: false });
  // In print mode pi prints the model's last message only, and none was asked.
  if (modeOf(ctx) === "print") print(content);
}

/** Writes to standard output proper: pi leads `process.stdout.write` to standard error in this mode. */
function print(text: string): void {
  Writable.prototype.write.call(process.stdout, `${text}\n`, "utf8");
}
