import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

/** Licences that allow everything to be embedded into one program. */
const PERMISSIVE = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD"]);

interface Lock {
  packages: Record<string, { dev?: boolean; license?: string; resolved?: string }>;
}

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;

test("what is embedded has a permissive licence", () => {
  const embedded = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  expect(embedded.length).toBeGreaterThan(5);
  const isPermissive = (licence = ""): boolean =>
    licence
      .replace(/[()]/gu, "")
      .split(" OR ")
      .some((choice) => PERMISSIVE.has(choice));
  expect(embedded.filter(([, { license }]) => !isPermissive(license))).toEqual([]);
});

test("no package is fetched from a place that only this machine knows", () => {
  const places = Object.values(lock.packages).flatMap(({ resolved }) =>
    resolved === undefined ? [] : [resolved],
  );
  expect(places.filter((place) => !place.startsWith("https://registry.npmjs.org/"))).toEqual([]);
});
