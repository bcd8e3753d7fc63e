// pi-brain inside pi: `/brain` for people, `brain_query` for agents, and word to the daemon of what
// happens in a session. Everything that knows something is in the brain; this only asks it.
import { addBranchCommands } from "./branches.ts";
import { brainCommand } from "./command.ts";
import { reportEvents } from "./events.ts";
import { offerLessons } from "./lessons.ts";
import type { Pi } from "./pi.ts";
import { brainQuery } from "./tool.ts";

export default function brainExtension(pi: Pi): void {
  const sessionEnd = new AbortController();
  pi.registerTool(brainQuery);
  pi.registerCommand("brain", brainCommand(pi, sessionEnd.signal));
  addBranchCommands(pi);
  offerLessons(pi);
  pi.on("session_shutdown", () => sessionEnd.abort());
  reportEvents(pi);
}
