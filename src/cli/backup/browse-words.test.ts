import { expect, test } from "vitest";
import { fileTable, plainName, shownName } from "./browse-words.ts";

test.each([
  ["plain name", "plain name"],
  ["ünï 日本", "ünï 日本"],
  ["a\nb\t", "a\\nb\\t"],
  ["\u001b[2J\u009b", "\\u001b[2J\\u009b"],
  ["gpj.\u202eexe", "gpj.\\u202eexe"],
])("shownName(%j)", (name, want) => {
  expect(shownName(name)).toBe(want);
});

test.each([
  ["shop/web/data/app.conf", "app.conf"],
  ["shop/web/data/a b\u001b/", "a_b_"],
  ["shop/web/data/..evil", "evil"],
  ["shop/web/data/-rf", "rf"],
  ["shop/web/data/日本", "_"],
  ["", "file"],
])("plainName(%j)", (path, want) => {
  expect(plainName(path)).toBe(want);
});

test("fileTable() shows types, modes, owners and links", () => {
  const text = fileTable(
    [
      { name: "d", type: "folder", mode: 0o755, uid: 0, gid: 7 },
      { name: "l", type: "link", target: "/etc\n" },
      { name: "f", type: "file", bytes: 3, modified: "2026-01-02T03:04:05.678Z" },
    ],
    undefined,
  );
  expect(text).toMatchInlineSnapshot(`
    "MODE    OWNER   BYTES   MODIFIED              NAME
    d0755   0:7                                   d/
    l                                             l -> /etc\\n
    -               3       2026-01-02 03:04:05   f
    "
  `);
});
