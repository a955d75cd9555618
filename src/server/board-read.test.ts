import { expect, test } from "vitest";
import type { KubeObject } from "../api/index.ts";
import { ApiError, type Resource } from "../kube/index.ts";
import { readBoard } from "./board-read.ts";
import type { PageClient } from "./caller.ts";

/** A client that lists nothing, and is refused where told to be. */
function clientWithout(plural: string, code: number): PageClient {
  const list = async ({ plural: asked }: Resource): Promise<KubeObject[]> => {
    if (asked !== plural) return [];
    throw new ApiError("list", { code, reason: "Forbidden", message: "no" });
  };
  return { list } as unknown as PageClient; // the board only lists
}

test.each([
  ["namespaces", 403, "namespaces"],
  ["schedules", 403, "schedules"],
  ["backuprepositories", 404, "backup repositories"],
])("readBoard() goes on without %s when the cluster answers %s, and says so", async (plural, code, words) => {
  expect((await readBoard(clientWithout(plural, code))).unread).toEqual([words]);
});

test.each([
  ["backups", 403],
  ["namespaces", 500],
])("readBoard() fails when %s answers %s", async (plural, code) => {
  await expect(readBoard(clientWithout(plural, code))).rejects.toThrow("no");
});
