import { expect, test } from "vitest";
import { duration } from "./functions/methods.ts";
import { Renderer } from "./render.ts";
import { parseTime } from "./time/parse.ts";
import { utc } from "./time/zone.ts";
import { Bytes, Int, int64, NilPointer, Struct, stringDict, stringList } from "./value.ts";

const renderer = new Renderer();
const time = parseTime("2006-01-02T15:04:05Z07:00", "2024-11-05T17:03:09Z", utc);
const secret = new Struct("v1.Secret", [
  { name: "Name", value: "s1", json: "name" },
  { name: "Data", value: { user: new Bytes(Buffer.from("bob")) }, json: "data", omitEmpty: true },
  { name: "Labels", value: {}, json: "labels", omitEmpty: true },
]);
const data = new Struct("param.TemplateParams", [
  { name: "StatefulSet", value: new NilPointer("*param.StatefulSetParams", ["Name"]) },
  { name: "Secret", value: secret },
  { name: "Options", value: stringDict([["k", "v"]]) },
  { name: "Pods", value: stringList(["a", "b"]) },
  { name: "Count", value: int64(1_000_000) },
  { name: "Time", value: time },
  { name: "hidden", value: 1, hidden: true },
]);

// What the real Go prints for a value of the same type.
test.each([
  ["{{.Count}} {{eq .Count 1000000}} {{add .Count 1}} {{typeOf .Count}}", "1000000 true 1000001 int64"],
  [
    "{{.Secret.Data.user}} {{.Secret.Data.user | toString}} {{toJson .Secret.Data}}",
    '[98 111 98] bob {"user":"Ym9i"}',
  ],
  ["{{toJson .Secret}}", '{"name":"s1","data":{"user":"Ym9i"}}'],
  ["{{.Options.k}}[{{index .Options `none`}}]", "v[]"],
  ["{{if .StatefulSet}}yes{{else}}no{{end}} {{.StatefulSet}}", "no <nil>"],
  ["{{join `,` .Pods}} {{typeOf .Pods}} {{index .Pods 1}}", "a,b []string b"],
  ["{{.Time}} {{date `2006` .Time}} {{.Time.Year}}", "2024-11-05 17:03:09 +0000 UTC 2024 2024"],
  [
    "{{printf `%s %x %q %d` .Secret.Data.user .Secret.Data.user .Secret.Data.user .Secret.Data.user}}",
    'bob 626f62 "bob" [98 111 98]',
  ],
  [
    "{{range .Secret.Data.user}}{{.}} {{end}}{{len .Secret.Data.user}} {{index .Secret.Data.user 0}}",
    "98 111 98 3 98",
  ],
])("typed values: %s", (template, want) => {
  expect(renderer.render(template, data)).toBe(want);
});

test.each([
  ["{{.StatefulSet.Name}}", "nil pointer evaluating *param.StatefulSetParams.Name"],
  ["{{.StatefulSet.Nope}}", "can't evaluate field Nope in type *param.StatefulSetParams"],
  ["{{.Nope}}", "can't evaluate field Nope in type param.TemplateParams"],
  ["{{.hidden}}", "hidden is an unexported field of struct type param.TemplateParams"],
  ["{{.Options.none}}", 'map has no entry for key "none"'],
  ["{{upper .Count}}", "wrong type for value; expected string; got int64"],
])("typed values: %s fails", (template, message) => {
  expect(() => renderer.render(template, data, "error")).toThrow(message);
});

test("numbers of plain data are float64, bigints int64", () => {
  const plain = {
    n: 1_000_000,
    b: 1_000_000n,
    i: new Int({ name: "uint8", kind: "uint8", bits: 8, signed: false }, 7n),
  };
  expect(renderer.render("{{.n}} {{.b}} {{.i}} {{typeOf .n}} {{typeOf .b}} {{typeOf .i}}", plain)).toBe(
    "1e+06 1000000 7 float64 int64 uint8",
  );
  expect(renderer.render("{{.}}", { d: duration(90_000_000_000n) })).toBe("map[d:1m30s]");
});

test("data that is no data is refused", () => {
  expect(() => renderer.render("{{.f}}", { f: () => 1 })).toThrow(TypeError);
  expect(() => renderer.render("{{.f}}", { f: new Date(0) })).toThrow(TypeError);
});

test("parsed templates are kept, the oldest goes first", () => {
  const small = new Renderer({ cacheSize: 2 });
  for (const n of ["1", "2", "3", "1"]) expect(small.render(`{{${n}}}`, {})).toBe(n);
  expect(() => small.check("{{")).toThrow("unclosed action");
});

test("without sprig only text/template's functions are there", () => {
  const bare = new Renderer({ sprig: false });
  expect(bare.render("{{slice `abc` 1 2}}{{len .l}}", { l: [1] })).toBe("b1");
  expect(() => bare.render("{{upper `a`}}", {})).toThrow('function "upper" not defined');
});

test.each([
  ["sha1sum", '{{sha1sum "a"}}'],
  ["sha256sum", '{{sha256sum "a"}}'],
  ["decryptAES", '{{decryptAES "k" "30tEfhuJSVRhpG97XCuWgz2okj7L8vQ1s6V9zVUPeDQ="}}'],
])("without a crypto port %s says that it is not available", (name, template) => {
  expect(() => renderer.render(template, {})).toThrow(`${name} is not available here`);
});
