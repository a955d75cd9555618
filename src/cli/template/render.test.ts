import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Io } from "../io.ts";
import { renderFile } from "./render.ts";

const folder = mkdtempSync(join(tmpdir(), "template-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

async function render(flags: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
  const got = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => {
      got.out += text;
    },
    err: (text) => {
      got.err += text;
    },
    env: {},
    terminal: undefined,
    color: false,
  };
  got.code = await renderFile({ args: [], flags }, io);
  return got;
}

test("renderFile() writes what the template says", async () => {
  const data = file("data.json", '{"a": {"b": [1, 2.5]}}');
  const first = await render({ file: file("a.tmpl", "{{ .a.b | join `-` }}\n"), data });
  expect(first).toEqual({ code: 0, out: "1-2.5\n", err: "" });
  expect(await render({ file: file("b.tmpl", "{{ . }}") })).toMatchObject({ code: 0, out: "<no value>" });
});

test("renderFile() fails with the place and the key", async () => {
  const name = file("c.tmpl", "x\n  {{ .a.c }}");
  const data = file("data.json", '{"a": {}}');
  const got = await render({ file: name, data, missingkey: "error" });
  expect(got).toMatchObject({ code: 1, out: "" });
  expect(got.err).toMatch(/c\.tmpl:2:7: .*no entry for key "c"/);
});

test("renderFile() says which file it cannot use", async () => {
  await expect(render({ file: join(folder, "none") })).rejects.toMatchObject({ code: "USAGE" });
  const data = file("bad.json", "{");
  await expect(render({ file: file("d.tmpl", ""), data })).rejects.toMatchObject({ code: "USAGE" });
});
