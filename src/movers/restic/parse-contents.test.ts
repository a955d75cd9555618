import { expect, test } from "vitest";
import { changeOf, storedEntry } from "./parse-contents.ts";

const quoted = (name: string) => storedEntry(JSON.stringify({ name, type: "file" }))?.name;

test.each([
  ["plain", "plain"],
  ["new\\nline", "new\nline"],
  ["esc\\x1b[31m", "esc\u001b[31m"],
  ["raw\\xff", "raw\ufffd"],
  ["\\xc3\\xa4", "ä"],
  ['quo\\"te\\\\', 'quo"te\\'],
  ["\\u200b\\U0001f4be", "\u200b💾"],
  ["\\Uffffffff", "\ufffd"],
  ["end\\", "end"],
])("storedEntry() reads the name %j", (name, want) => {
  expect(quoted(name)).toBe(want);
});

test("storedEntry() reads types, sizes, modes and links, and believes no nonsense", () => {
  const node = {
    name: "l",
    type: "symlink",
    mode: 134218239,
    uid: 7,
    gid: -1,
    linktarget: "/etc",
    mtime: "t",
  };
  expect(storedEntry(JSON.stringify(node))).toEqual({
    name: "l",
    type: "link",
    mode: 0o777,
    uid: 7,
    modified: "t",
    target: "/etc",
  });
  expect(storedEntry('{"name":"f","type":"file","size":-3}')).toEqual({ name: "f", type: "file", bytes: 0 });
  expect(storedEntry('{"name":"p","type":"toString"}')).toEqual({ name: "p", type: "other" });
  expect(storedEntry('{"name":3}')).toBeUndefined();
});

test.each([
  ["+", "/a/", { path: "/a", change: "added", isFolder: true }],
  ["-", "/a\nb", { path: "/a\nb", change: "removed" }],
  ["M", "/a", { path: "/a", change: "changed" }],
  ["TU", "/a", { path: "/a", change: "changed" }],
  ["U", "/a", undefined],
])("changeOf() reads %s %j", (modifier, path, want) => {
  expect(changeOf(JSON.stringify({ message_type: "change", path, modifier }))).toEqual(want);
});

test("changeOf() passes over the other lines", () => {
  expect(changeOf('{"message_type":"statistics"}')).toBeUndefined();
  expect(changeOf("comparing")).toBeUndefined();
});
