import { expect, test } from "vitest";
import { Renderer, TemplateError } from "./index.ts";

const limits = { maxSteps: 200_000, maxOutput: 100_000, maxDepth: 100 };
const renderer = new Renderer({ limits });

function failure(template: string, data: unknown = {}, used = renderer): TemplateError {
  try {
    used.render(template, data);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`rendered: ${template}`);
}

test.each([
  ["an endless recursion", '{{define "a"}}{{template "a"}}{{end}}{{template "a"}}'],
  ["a long loop", "{{range 9223372036854775807}}{{end}}"],
  ["loops in loops", "{{range until 1000}}{{range until 1000}}x{{end}}{{end}}"],
  ["much output", '{{range 1000}}{{repeat 1000 "x"}}{{end}}'],
  ["a huge repeat", '{{repeat 1000000000 "x"}}'],
  ["a doubling variable", '{{$x := "xxxxxxxxxx"}}{{range 60}}{{$x = print $x $x}}{{end}}'],
  ["a huge list", "{{until 1000000000}}"],
  ["a huge indent", '{{indent 1000000000 "x"}}'],
  ["huge widths", '{{printf "%999999d%999999d" 1 1}}'],
  ["a replacement that grows", '{{replace "" (repeat 1000 "x") (repeat 1000 "y")}}'],
  ["a join that grows", "{{join (repeat 1000 `x`) (until 1000)}}"],
  ["a regular expression that would backtrack", '{{regexMatch "(a*)*(a*)*b" (repeat 90000 "a")}}'],
  ["a replacement by a regular expression", '{{regexReplaceAll "" (repeat 1000 "x") (repeat 1000 "y")}}'],
  ["a map within itself", '{{$d := dict}}{{$_ := set $d "d" $d}}{{$d}}'],
  ["a map compared with itself", '{{$d := dict}}{{$_ := set $d "d" $d}}{{deepEqual $d (deepCopy $d)}}'],
  ["a list that grows", "{{$l := list 1}}{{range 60}}{{$l = concat $l $l}}{{end}}"],
  ["many parentheses", `{{${"(".repeat(5000)}1${")".repeat(5000)}}}`],
  ["many blocks", `${"{{if true}}".repeat(5000)}${"{{end}}".repeat(5000)}`],
  ["many else ifs", `{{if false}}${"{{else if false}}".repeat(5000)}{{end}}`],
  ["a pattern that nests", `{{regexFind "${"(".repeat(900)}a${")".repeat(900)}" "a"}}`],
])("%s ends with an error", (_name, template) => {
  expect(failure(template)).toBeInstanceOf(TemplateError);
});

test("deep templates at the default limits fit the stack", () => {
  const template =
    '{{define "a"}}{{if .}}{{with .}}{{template "a" (sub . 1 | int)}}{{end}}{{end}}{{end}}{{template "a" 400}}ok';
  expect(new Renderer().render(template, {})).toBe("ok");
});

test("a limit says which it was and where", () => {
  const error = failure("a\n {{range 1000000}}{{end}}");
  expect(error).toMatchObject({
    stage: "limit",
    line: 2,
    message: expect.stringContaining("200000 steps") as unknown,
  });
});

test("time ends a rendering when there is a clock", () => {
  let now = 0;
  const nowMs = () => {
    now += 100;
    return now;
  };
  const slow = new Renderer({ limits: { maxMs: 1000 }, ports: { nowMs } });
  expect(failure("{{range 1000000}}{{end}}", {}, slow).message).toContain("more than 1000 ms");
});

test("field names do not reach prototypes", () => {
  const names = ["__proto__", "constructor", "valueOf", "hasOwnProperty", "length"];
  for (const name of names) {
    expect(renderer.render(`{{.${name}}}{{.m.${name}}}`, { m: {} }), name).toBe("<no value><no value>");
    expect(renderer.render(`{{index .m "${name}"}}{{hasKey .m "${name}"}}`, { m: {} }), name).toBe(
      "<no value>false",
    );
    expect(failure(`{{${name}}}`).stage, name).toBe("parse");
  }
  expect(failure("{{.l.length}}", { l: [1] }).message).toContain("can't evaluate field length");
  const data = JSON.parse('{"m": {"__proto__": {"x": 1}}}') as unknown;
  expect(renderer.render('{{.m.__proto__.x}}{{set .m "__proto__" 2 | toJson}}', data)).toBe(
    '1{"__proto__":2}',
  );
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("a template does not change the caller's data", () => {
  const data = { m: { a: 1 }, l: [{ b: 1 }] };
  renderer.render('{{$_ := set .m "z" 1}}{{$_ := set (index .l 0) "z" 1}}{{unset . "l"}}', data);
  expect(data).toEqual({ m: { a: 1 }, l: [{ b: 1 }] });
});

test.each([
  "env `HOME`",
  "expandenv `$HOME`",
  "getHostByName `localhost`",
  "now",
  "uuidv4",
  "randAlpha 3",
  "genPrivateKey ``",
])("without its port, %s says that it is not there", (call) => {
  expect(failure(`{{${call}}}`).message).toMatch(/not available here|no clock here/);
});
