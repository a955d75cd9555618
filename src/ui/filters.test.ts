import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { narrow } from "./filters.ts";
import { noFilters } from "./route.ts";

const stall = { since: 0, cause: "agent-missing" } as const;

test("narrow() keeps what passes every filter", () => {
  const all = [
    anOperation("shop", { message: "copying" }),
    anOperation("blog", { state: "failed" }),
    anOperation("stuck", { stall, kind: "restore" }),
  ];
  const names = (more: Partial<typeof noFilters>) =>
    narrow(all, { ...noFilters, ...more }).map(({ ref }) => ref.name);
  expect(names({})).toEqual(["shop", "blog", "stuck"]);
  expect(names({ text: "COPY shop" })).toEqual(["shop"]);
  expect(names({ states: ["stalled"] })).toEqual(["stuck"]);
  expect(names({ states: ["failed", "running"], kinds: ["backup"] })).toEqual(["shop", "blog"]);
  expect(names({ namespaces: ["elsewhere"] })).toEqual([]);
  expect(names({ clusters: ["blue"] })).toEqual([]);
});
