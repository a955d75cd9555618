import { expect, test } from "vitest";
import { serve } from "./serve.ts";

async function answers(...chunks: readonly string[]): Promise<unknown[]> {
  const out: unknown[] = [];
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  }
  await serve(input(), (line) => out.push(JSON.parse(line)), new AbortController().signal);
  return out;
}

test("serve() answers each line, in order, whatever the chunks are", async () => {
  const text = `{"id":1,"template":"{{.a}}","data":{"a":"é"}}\n\n{"id":"b","template":"{{.x}}","data":{},"missingkey":"error"}\n`;
  const whole = await answers(text);
  expect(whole).toEqual([
    { id: 1, output: "é" },
    {
      id: "b",
      error: 'template: template:1:2: executing "template" at <.x>: map has no entry for key "x"',
    },
  ]);
  expect(await answers(...Array.from(text))).toEqual(whole);
});

test.each([
  ["{", /not JSON/],
  ["[]", /"template" must be a text/],
  ['{"id":1}', /"template" must be a text/],
  ["1", /must hold a JSON object/],
  ['{"id":1,"template":"","missingkey":"x"}', /missingkey="x"/],
])("serve() answers %s with an error and goes on", async (line, error) => {
  const [first, second] = await answers(`${line}\n{"id":2,"template":"{{1000000.0}}"}`);
  expect(first).toMatchObject({ error: expect.stringMatching(error) as unknown });
  expect(second).toEqual({ id: 2, output: "1e+06" });
});

test("serve() gives templates no environment and no network", async () => {
  const [env] = await answers('{"id":1,"template":"{{env \\"PATH\\"}}"}');
  expect(env).toMatchObject({ error: expect.stringContaining("env is not available here") as unknown });
});
