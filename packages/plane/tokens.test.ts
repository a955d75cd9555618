import { expect, test } from "vitest";
import { Tokens } from "./tokens.ts";

const now = 1_000_000;
const account = { namespace: "apps", name: "builder", uid: "uid-1" };

function tokens() {
  const uids = new Map([["apps/builder", "uid-1"]]);
  return { uids, tokens: new Tokens("admin-token", (namespace, name) => uids.get(`${namespace}/${name}`)) };
}

test("userOf() knows the administrator and the accounts it made tokens for", () => {
  const { tokens: all } = tokens();
  expect(all.userOf("admin-token", now)).toBe("kubernetes-admin");
  const { token, expiresMs } = all.issue(account, 60, now);
  expect(all.userOf(token, now)).toBe("system:serviceaccount:apps:builder");
  expect(all.userOf(token, expiresMs)).toBeUndefined();
  expect(all.userOf(`${token}x`, now)).toBeUndefined();
  expect(all.userOf("", now)).toBeUndefined();
});

test("userOf() refuses a token whose account is gone, or is another one of the same name", () => {
  const { uids, tokens: all } = tokens();
  const { token } = all.issue(account, 60, now);
  uids.delete("apps/builder");
  expect(all.userOf(token, now)).toBeUndefined();
  uids.set("apps/builder", "uid-2");
  expect(all.userOf(token, now)).toBeUndefined();
  uids.set("apps/builder", "uid-1");
  expect(all.userOf(token, now)).toBe("system:serviceaccount:apps:builder");
});
