import { isProgress, judge } from "../../../src/engines/snapshotter/said.ts";
import type { GrpcConnection } from "../../../src/plugins/goplugin/grpc.ts";
import { readHandshake } from "../../../src/plugins/goplugin/handshake.ts";
import { ProgramStore } from "../../../src/plugins/goplugin/object-store.ts";
import {
  bytesOf,
  intOf,
  MessageWriter,
  messagesOf,
  readMessage,
  textOf,
  textsOf,
} from "../../../src/plugins/goplugin/protobuf.ts";
import { listOffered, programSnapshotter } from "../../../src/plugins/goplugin/services.ts";
import { guarded } from "../../../src/plugins/guard.ts";
import { LogTap } from "../../../src/plugins/log-tap.ts";
import { TestClock } from "../../harness/clock.ts";
import { chunked, mutateBytes, mutateText } from "../bytes.ts";
import { type Json, mutateJson } from "../json.ts";
import { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

const entry = new MessageWriter().text(2, "VolumeSnapshotter").text(3, "example.com/disks").done();
const messages = [
  new MessageWriter().bytes(1, entry).bytes(1, entry).done(),
  new MessageWriter().text(1, "ssd").int(2, 100).done(),
  new MessageWriter()
    .bytes(1, Buffer.from('{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"p"},"spec":{}}'))
    .done(),
  new MessageWriter().text(1, "backups/a/").text(1, "backups/b/").int(2, -1).map(3, { a: "b" }).done(),
];
const said: Json = { phase: "InProgress", bytesDone: 5, totalBytes: 10, message: "on its way" };

/** A message in protobuf, the first line of a program, a line of its log, and what a module says of its progress. */
export const pluginMessages = target<{
  readonly message: string;
  readonly line: string;
  readonly log: string;
  readonly said: Json;
}>({
  name: "plugin-messages",
  covers:
    "answers of plugin programs (protobuf, the volume and the store that speak it), their handshake and log, and what plugin modules say",
  make: (random) => ({
    message: Buffer.from(mutateBytes(random, random.of(messages), random.of(messages))).toString("base64"),
    line: mutateText(
      random,
      random.of(["1|2|unix|/tmp/plugin.sock|grpc|", "1|2|tcp|127.0.0.1:1234|grpc|cert"]),
    ),
    log: mutateText(
      random,
      '{"@level":"warn","@message":"slow","@module":"x"}\n{"level":"error","msg":"no"}\n',
    ),
    said: mutateJson(random, said),
  }),
  async run(given) {
    const bytes = Buffer.from(given.message, "base64");
    readParts(bytes);
    readLog(given.log);
    const progress: unknown = given.said;
    if (isProgress(progress)) judge(progress, judge(progress, undefined).sample);
    await askPlugin(bytes);
    readHandshake(given.line, "p");
  },
});

/** Whoever asks a plugin gets an AppError for whatever it may answer. */
async function askPlugin(bytes: Uint8Array): Promise<void> {
  const { signal } = new AbortController();
  const connection = { unary: async () => bytes, isClosed: false } as unknown as GrpcConnection; // what the services use
  const limits = { clock: new TestClock(), callMs: 1000, askMs: 1000 };
  const plugin = guarded("p", programSnapshotter(connection, "p"), limits);
  const store = new ProgramStore({ plugin: "p", bucket: "b", connection: async () => connection });
  const calls = [
    () => plugin.init({}, signal),
    () => plugin.getVolumeID({}, signal),
    () => plugin.setVolumeID({}, "v", signal),
    () => plugin.getVolumeInfo({ volumeID: "v", volumeAZ: "" }, signal),
    () => plugin.createSnapshot({ volumeID: "v", volumeAZ: "", tags: {} }, signal),
    () => store.head("a", signal),
    () => Array.fromAsync(store.list("a", {}, signal)),
    () => store.signedUrl("a", 60),
  ];
  for (const call of calls) await call().catch(onlyRefusal);
  await listOffered(connection, signal).catch(() => undefined); // whoever starts a program wraps it
}

function onlyRefusal(error: unknown): void {
  if (!(error instanceof Error) || error.name !== "AppError") throw error;
}

function readParts(bytes: Uint8Array): void {
  try {
    const message = readMessage(bytes);
    for (const field of message.keys()) {
      textOf(message, field);
      bytesOf(message, field);
      textsOf(message, field);
      intOf(message, field);
      messagesOf(message, field);
    }
  } catch (error) {
    // The reader's own words for bytes that are no message.
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
  }
}

function readLog(text: string): void {
  let longest = 0;
  const log = (_level: string, message: string) => void (longest = Math.max(longest, message.length));
  const tap = new LogTap({ plugin: "p", log, clock: new TestClock() });
  for (const chunk of chunked(new Random(text.length), Buffer.from(text))) tap.write(chunk);
  tap.end();
  if (longest > 16 << 10) throw new BrokenLaw(`a log line of ${longest} characters`);
}
