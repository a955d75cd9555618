import { expect, test } from "vitest";
import { goMatcher } from "./matcher.ts";

test.each([
  ["^web-[0-9]$", "web-1", true],
  ["^web-[0-9]$", "web-11", false],
  ["eb", "web", true],
  ["(?i)WEB", "my-web", true],
  ["\\Aweb\\z", "web", true],
  ["^[[:alpha:]]+$", "abc", true],
  ["(?P<part>a|b)c", "xbc", true],
  ["^\\pL+$", "日本", true],
])("goMatcher(%s) of %s", (source, text, want) => expect(goMatcher(source)(text)).toBe(want));

test("goMatcher() takes what makes others explode", () => {
  expect(goMatcher("^(a+)+$")(`${"a".repeat(250)}!`)).toBe(false);
});

test.each(["(?=a)", "(?!a)", "(?<=a)", "(a)\\1", "[", "a**"])(
  "goMatcher() refuses %s, as Go does",
  (source) => {
    expect(() => goMatcher(source)).toThrow("regexp: Compile");
  },
);
