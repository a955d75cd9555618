import { expect, test } from "vitest";
import { systemClock } from "../../../kube/index.ts";
import { followLog } from "./pod-log.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" } };

/** A server that answers each reading with the next list of chunks; an error breaks the line. */
function server(...answers: readonly (readonly (string | Error)[])[]) {
  const asked: (string | undefined)[] = [];
  const client = {
    async *logs(_resource: unknown, _name: unknown, query: { sinceTime?: string | undefined }) {
      const answer = answers[asked.length] ?? [];
      asked.push(query.sinceTime);
      for (const part of answer) {
        if (part instanceof Error) throw part;
        yield Buffer.from(part);
      }
    },
  };
  const left = () => asked.length >= answers.length;
  return { client, asked, left };
}

const clock = { ...systemClock, after: (_ms: number, call: () => void) => systemClock.after(0, call) };

async function read(stage: ReturnType<typeof server>, take?: (line: string) => void): Promise<string[]> {
  const lines: string[] = [];
  await followLog(
    { client: stage.client, clock },
    { pod, container: "c", ended: stage.left },
    take ?? ((line) => lines.push(line)),
    new AbortController().signal,
  );
  return lines;
}

const t = (fraction: string) => `2026-11-15T10:00:0${fraction}Z`;

test("followLog() goes on after a broken line without losing or repeating", async () => {
  const stage = server(
    [`${t("1.5")} a\n${t("2")} b\n${t("2")} c\n${t("2.25")} half a li`, new Error("reset")],
    [`${t("2")} b\n${t("2")} c\n${t("2.25")} half a line\n${t("2.3")} d\n`],
  );
  expect(await read(stage)).toEqual(["a", "b", "c", "half a line", "d"]);
  expect(stage.asked).toEqual([undefined, t("2")]);
});

test("followLog() asks again when the stream ends before the container", async () => {
  const stage = server([`${t("1")} a\n`], [`${t("1")} a\n`], [`${t("1")} a\n${t("1")} a too\n`]);
  expect(await read(stage)).toEqual(["a", "a too"]);
});

test("followLog() ends at once with what a line throws", async () => {
  const stage = server([`${t("1")} bad\n`, `${t("2")} more\n`], []);
  const failing = read(stage, () => {
    throw new Error("no JSON");
  });
  await expect(failing).rejects.toThrow("no JSON");
});
