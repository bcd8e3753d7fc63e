import { expect, test } from "vitest";

import { errorRate, share, weekly } from "./figures";

test("failures are told by how much a model was used", () => {
  expect(errorRate({ toolErrors: 0, answers: 50 })).toBe("no tool errors");
  expect(errorRate({ toolErrors: 3, answers: 200 })).toBe("1.5 tool errors in 100 answers");
  expect(errorRate({ toolErrors: 30, answers: 60 })).toBe("50 tool errors in 100 answers");
  expect(errorRate({ toolErrors: 2, answers: 0 })).toBe("2 tool errors");
});

test("shares of nothing are not told", () => {
  expect(share(1, 4)).toBe("(25 %)");
  expect(share(0.001, 4)).toBe("(under 1 %)");
  expect(share(0, 0)).toBe("");
});

test("weeks have seven days, the last one as many as are left", () => {
  const spent = (answers: number) => ({
    answers,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: 0,
  });
  const days = Array.from({ length: 9 }, (_, at) => ({ parts: { "a/b": spent(at === 8 ? 5 : 1) } }));
  expect(weekly([...days, { parts: { "c/d": spent(7) } }], "a/b")).toEqual([7, 6]);
  expect(weekly([], "a/b")).toEqual([]);
});
