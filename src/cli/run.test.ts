import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { run } from "./run.ts";

async function headway(...argv: string[]) {
  const seen = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (seen.out += text),
    err: (text) => void (seen.err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  const code = await run(argv, new AbortController().signal, io);
  return { code, ...seen };
}

test("version -o json prints data on standard output and nothing else", async () => {
  const { code, out, err } = await headway("version", "-o", "json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ name: "headway", node: process.versions.node });
});

test("a wrong command exits 2 with words on standard error", async () => {
  const { code, out, err } = await headway("versoin");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("Did you mean version?");
});

test.each(["bash", "zsh", "fish"])(
  "completion %s offers the commands and flags of the table",
  async (shell) => {
    const { code, out } = await headway("completion", shell);
    expect(code).toBe(0);
    expect(out).toContain("version");
    expect(out).toContain("--output");
  },
);

test("completion for another shell is refused", async () => {
  expect(await headway("completion", "tcsh")).toMatchObject({
    code: 2,
    err: expect.stringContaining('"tcsh"'),
  });
});
