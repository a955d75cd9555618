import { expect, test } from "vitest";
import { expiryFault, tokenEnd } from "./token-expiry.ts";

const now = Date.parse("2026-11-16T00:00:00Z");
const day = 86_400_000;
const token = (payload: unknown) => `h.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.s`;

test.each([
  [token({ exp: now / 1000, sub: "x" }), now],
  [token({ sub: "x" }), undefined],
  [token({ exp: "soon" }), undefined],
  [token({ exp: -1e300 }), undefined],
  ["opaque", undefined],
  ["a.%%%.b", undefined],
  ["", undefined],
])("tokenEnd(%j) is %j", (text, want) => {
  expect(tokenEnd(text)).toBe(want);
});

test("expiryFault() is silent while there is time, warns in the last month, and stops a cluster whose token ended", () => {
  expect(expiryFault("blue", undefined, now)).toBeUndefined();
  expect(expiryFault("blue", now + 31 * day, now)).toBeUndefined();
  expect(expiryFault("blue", now + 29 * day, now)).toMatchObject({
    type: "SaTokenExpiresSoon",
    category: "Warn",
    message:
      'the token of cluster "blue" expires on 2026-12-15; renew it with "headway cluster renew blue --from-kubeconfig FILE"',
  });
  expect(expiryFault("blue", now, now)).toMatchObject({
    type: "SaTokenNotPrivileged",
    category: "Critical",
    reason: "Unauthorized",
    message: expect.stringContaining("expired on 2026-11-16") as string,
  });
});
