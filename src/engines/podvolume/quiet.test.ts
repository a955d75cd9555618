import { expect, test } from "vitest";
import { givenUp } from "./quiet.ts";

const limit = 1_000;
const at = (phase: string, changedAt: number, agentLives = true) => ({ phase, changedAt, agentLives });

test.each([
  ["something moved just now", { a: at("InProgress", 0), b: at("InProgress", 900) }, []],
  ["nothing moved for the limit", { a: at("InProgress", 0), b: at("InProgress", 0) }, ["a", "b"]],
  ["the ended ones are left", { a: at("Completed", 0), b: at("New", 0) }, ["b"]],
  ["one that just ended is movement", { a: at("Completed", 500), b: at("New", 0) }, []],
  ["one in a living agent's queue is left", { a: at("Prepared", 0), b: at("InProgress", 0) }, ["b"]],
  ["one in a dead agent's queue is not", { a: at("Prepared", 0, false) }, ["a"]],
  ["there is nothing", {}, []],
])("givenUp(): %s", (_name, all, want) => {
  expect(givenUp(new Map(Object.entries(all)), limit, 1_000)).toEqual(want);
});
