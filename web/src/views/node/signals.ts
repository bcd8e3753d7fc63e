/** How the work went, in sentences. */

import type { BrainNode } from "../../api/types";
import { things } from "../../text/format";

type Signals = NonNullable<NonNullable<BrainNode["ext"]>["signals"]>;

export interface Sign {
  readonly kind: "friction" | "delight";
  readonly text: string;
}

/** Says what the log tells of friction and delight; nothing where it went as work goes. */
export function signsOf(signals: Signals | undefined): Sign[] {
  const { friction, delight } = signals ?? {};
  const hard: (string | false)[] =
    friction == null
      ? []
      : [
          friction.rephrasingCount > 0 &&
            `Asked again ${times(friction.rephrasingCount)} before an answer came`,
          friction.correctionCount > 0 && `You wanted it otherwise ${times(friction.correctionCount)}`,
          friction.toolLoopCount > 0 &&
            `The same tool failed in the same way again and again, ${times(friction.toolLoopCount)}`,
          friction.contextChurnCount > 0 &&
            `Many files were looked at (${things(friction.contextChurnCount * 10, "file")} or more)`,
          friction.modelSwitched && "You changed the model",
          friction.silentTermination && "It ended with something failing, and nobody said anything more",
        ];
  const well: (string | false)[] =
    delight == null
      ? []
      : [
          delight.oneShotSuccess && "Done as it was first asked for",
          delight.resilientRecovery && "Something failed, and then worked without help",
          delight.explicitPraise && "You were content",
        ];
  return [
    ...hard.filter((text) => text !== false).map((text): Sign => ({ kind: "friction", text })),
    ...well.filter((text) => text !== false).map((text): Sign => ({ kind: "delight", text })),
  ];
}

function times(number: number): string {
  return number === 1 ? "once" : number === 2 ? "twice" : `${number} times`;
}
