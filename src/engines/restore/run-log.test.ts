import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { RunLog } from "./run-log.ts";

async function open(): Promise<RunLog> {
  const log = await RunLog.open("velero/r", () => 0);
  onTestFinished(async () => await log.close());
  return log;
}

async function text(log: RunLog): Promise<string> {
  return gunzipSync(Buffer.concat(await Array.fromAsync(log.gzip()))).toString();
}

test("RunLog keeps its lines and counts its findings by place", async () => {
  const log = await open();
  log.info("begun");
  log.warn({ namespace: "shop" }, 'it "differs"');
  log.fail("cluster", "refused");
  log.fail("velero", "lost");
  expect(await text(log)).toBe(
    [
      'time="1970-01-01T00:00:00Z" level=info msg="begun" restore=velero/r',
      'time="1970-01-01T00:00:00Z" level=warning msg="it \\"differs\\"" restore=velero/r namespace=shop',
      'time="1970-01-01T00:00:00Z" level=error msg="refused" restore=velero/r',
      'time="1970-01-01T00:00:00Z" level=error msg="lost" restore=velero/r',
      "",
    ].join("\n"),
  );
  expect(log.warnings.result()).toEqual({ namespaces: { shop: ['it "differs"'] } });
  expect(log.errors.result()).toEqual({ cluster: ["refused"], velero: ["lost"] });
});

test("RunLog bounds what it keeps in memory and counts the rest", async () => {
  const log = await open();
  for (let n = 0; n < 3000; n += 1) log.fail({ namespace: "shop" }, `item ${n}`);
  expect(log.errors.count).toBe(3000);
  expect(log.errors.result().velero).toEqual(["and 1000 more, see the log"]);
  expect(log.errors.result().namespaces?.["shop"]).toHaveLength(2000);
  expect((await text(log)).split("\n")).toHaveLength(3001);
});
