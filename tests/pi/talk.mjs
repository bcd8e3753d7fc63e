// Short words for writing a conversation with pi's SessionManager.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { usage } from "./hand-made.mjs";
import { tick } from "./pi-module.mjs";

export function talk(s) {
  const then = (append) => {
    tick();
    return append();
  };
  const put = (message) => then(() => s.appendMessage({ ...message, timestamp: Date.now() }));
  const model = { api: "openai-completions", provider: "stub", model: "stub-1" };
  let calls = 0;
  return {
    then,
    put,
    user: (text) => put({ role: "user", content: [{ type: "text", text }] }),
    say: (text, more = {}) =>
      put({
        role: "assistant",
        content: [{ type: "text", text }],
        ...model,
        usage: usage(10, 5),
        stopReason: "stop",
        ...more,
      }),
    call: (name, args) => {
      const id = `call_${++calls}`;
      const content = [{ type: "toolCall", id, name, arguments: args }];
      put({ role: "assistant", content, ...model, usage: usage(10, 5), stopReason: "toolUse" });
      return id;
    },
    result: (toolCallId, toolName, text, isError = false, details = undefined) =>
      put({ role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], details, isError }),
    /** An entry that this pi may have no method for: written into its file, which it then reads again. */
    raw: (type, fields) =>
      then(() => {
        const id = fields.id ?? randomUUID().slice(0, 8);
        const entry = { type, id, parentId: s.getLeafId(), timestamp: new Date().toISOString(), ...fields };
        appendFileSync(s.getSessionFile(), `${JSON.stringify(entry)}\n`);
        s.setSessionFile(s.getSessionFile());
        return id;
      }),
    edit(targetId, replacement) {
      if (!s.appendContextEdit) return this.raw("context_edit", { targetId, replacement });
      return then(() => s.appendContextEdit(targetId, replacement));
    },
  };
}
