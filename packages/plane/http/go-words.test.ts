import { expect, test } from "vitest";
import { conversionWords, goWords } from "./go-words.ts";

test.each([
  [{ spec: { replicas: "two", a: [1, null, true] } }, "map[spec:map[a:[1 <nil> true] replicas:two]]"],
  [{}, "map[]"],
])("goWords(%j)", (value, words) => {
  expect(goWords(value)).toBe(words);
});

// What the real server says to such patches is in test/system/kubernetes/patch.test.ts.
test.each([
  ["string", "int32", "unrecognized type: int32"],
  ["number", "string", "cannot convert int64 to string"],
  ["bool", "string", "unrecognized type: string"],
  ["string", "map[string]string", "cannot restore map from string"],
  ["object", "[]v1.Container", "cannot restore slice from map"],
  ["array", "v1.PodSpec", "cannot restore struct from: slice"],
])("conversionWords() of %s into %s", (from, to, words) => {
  expect(conversionWords(`json: cannot unmarshal ${from} into Go struct field A.b of type ${to}`)).toBe(
    words,
  );
});

test("conversionWords() leaves what it does not know", () => {
  expect(conversionWords("something else")).toBe("something else");
});
