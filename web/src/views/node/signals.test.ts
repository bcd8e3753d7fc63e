import { expect, test } from "vitest";

import { signsOf } from "./signals";

const CALM = {
  contextChurnCount: 0,
  correctionCount: 0,
  modelSwitched: false,
  rephrasingCount: 0,
  score: 0,
  silentTermination: false,
  toolLoopCount: 0,
};

test("where nothing stood out nothing is said", () => {
  expect(signsOf(undefined)).toEqual([]);
  expect(signsOf({ friction: CALM, delight: null, manualFlags: [] })).toEqual([]);
});

test("what was hard comes before what went well", () => {
  const friction = { ...CALM, correctionCount: 2, modelSwitched: true };
  const delight = { explicitPraise: true, oneShotSuccess: false, resilientRecovery: false, score: 0.5 };
  expect(signsOf({ friction, delight, manualFlags: [] })).toEqual([
    { kind: "friction", text: "You wanted it otherwise twice" },
    { kind: "friction", text: "You changed the model" },
    { kind: "delight", text: "You were content" },
  ]);
});
