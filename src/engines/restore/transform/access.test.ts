import { expect, test } from "vitest";
import type { Item } from "../archive/item-json.ts";
import { mergeServiceAccount } from "./access.ts";

const account = (rest: object, labels: Record<string, string> = {}): Item => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "web", namespace: "shop", labels },
  ...rest,
});

test("mergeServiceAccount() adds what is missing and loses nothing", () => {
  const merged = mergeServiceAccount(
    account({ secrets: [{ name: "here" }], imagePullSecrets: [{ name: "p1" }] }, { a: "cluster", b: "1" }),
    account(
      { secrets: [{ name: "there" }, { name: "here" }], imagePullSecrets: [{ name: "p2" }] },
      { a: "backup", c: "2" },
    ),
  );
  expect(merged).toMatchObject({
    secrets: [{ name: "here" }, { name: "there" }],
    imagePullSecrets: [{ name: "p1" }, { name: "p2" }],
    metadata: { labels: { a: "cluster", b: "1", c: "2" } },
  });
});

test("mergeServiceAccount() of equal accounts changes nothing", () => {
  const one = account({ secrets: [{ name: "s" }] }, { a: "1" });
  expect(mergeServiceAccount(one, one)).toEqual(one);
});
