import { expect, test } from "vitest";
import { addressText, parseAddress } from "./address.ts";

const data = { namespace: "shop", pod: "web-0", volume: "data" };

test.each([
  ["shop/web-0/data", { volume: data, path: "/" }],
  ["shop/web-0/data/", { volume: data, path: "/" }],
  ["shop/web-0/data/a/b c", { volume: data, path: "/a/b c" }],
  ["shop/web-0/data/new\nline/", { volume: data, path: "/new\nline" }],
  ["shop/pvc:data", { volume: { namespace: "shop", claim: "data" }, path: "/" }],
  ["shop/pvc:data.1/a/pvc:x", { volume: { namespace: "shop", claim: "data.1" }, path: "/a/pvc:x" }],
])("parseAddress() reads %j", (text, want) => {
  expect(parseAddress(text)).toEqual(want);
});

test.each([
  "",
  "shop",
  "shop/web-0",
  "/shop/web-0/data",
  "shop/../data/x",
  "Shop/web/data",
  "shop/pvc:/x",
  "shop/web-0/data/../x",
  "shop/web-0/data/a/./b",
  "shop/web-0/data//a",
  "shop/web-0/data/a\0b",
  "shop/web-0/data//",
])("parseAddress() refuses %j", (text) => {
  expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: "USAGE" }));
});

test("a refusal quotes a bounded, printable part of what was written", () => {
  expect(() => parseAddress(`\u001b[31m${"x".repeat(5_000)}`)).toThrow(
    /^"\\u001b\[31mx{195}…" names no volume/,
  );
});

test("addressText() is what parseAddress() reads", () => {
  for (const text of ["shop/web-0/data", "shop/pvc:data"])
    expect(addressText(parseAddress(text).volume)).toBe(text);
});
