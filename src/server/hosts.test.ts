import { expect, test } from "vitest";
import { isKnownHost, readAddress } from "./hosts.ts";

test.each([
  ["localhost:8085", [], true],
  ["127.0.0.1", [], true],
  ["[::1]:1", [], true],
  ["LOCALHOST:1", [], true],
  ["evil.example", [], false],
  ["localhost.evil.example:80", [], false],
  ["127.0.0.1.evil.example", [], false],
  ["", [], false],
  [undefined, [], false],
  ["headway.velero.svc:8085", ["headway.velero.svc"], true],
  ["anything", ["*"], true],
] as const)("isKnownHost() of %s among %j is %s", (header, allowed, want) => {
  expect(isKnownHost(header, allowed)).toBe(want);
});

test.each([
  ["127.0.0.1:8085", { hostname: "127.0.0.1", port: 8085 }],
  [":8085", { hostname: "0.0.0.0", port: 8085 }],
  ["[::1]:0", { hostname: "::1", port: 0 }],
  ["localhost", undefined],
  ["127.0.0.1:99999", undefined],
  ["::1:80", undefined],
] as const)("readAddress() of %s", (text, want) => {
  expect(readAddress(text)).toEqual(want);
});
