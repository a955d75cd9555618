import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DeviceWriter, deviceBytes, majorOf, minorOf, readDevice } from "./device.ts";

const folder = mkdtempSync(join(tmpdir(), "device-"));
afterAll(() => rmSync(folder, { recursive: true }));
const data = Buffer.alloc(2_500_000, "0123456789");
const place = join(folder, "device");
writeFileSync(place, data);

test("readDevice() gives every byte in order, and says how far it is", async () => {
  const told: number[] = [];
  const pieces = await Array.fromAsync(readDevice(place, (bytes) => told.push(bytes)));
  expect(Buffer.concat(pieces).equals(data)).toBe(true);
  expect(told).toEqual([1_048_576, 2_097_152, 2_500_000]);
  expect(await deviceBytes(place)).toBe(2_500_000);
});

test("DeviceWriter writes from the beginning, and keeps what lies behind", async () => {
  const target = join(folder, "target");
  writeFileSync(target, "xxxxxxxx");
  const device = await DeviceWriter.open(target);
  await device.write(Buffer.from("ab"));
  await device.write(Buffer.from("cd"));
  await device.sync();
  await device.close();
  expect(device.bytes).toBe(4);
  expect(readFileSync(target, "utf8")).toBe("abcdxxxx");
});

test.each([
  ["nothing", join(folder, "gone")],
  ["a folder", folder],
])("deviceBytes() of %s is refused", async (_name, path) => {
  await expect(deviceBytes(path)).rejects.toMatchObject({ code: "MOVER_PATH" });
});

test.each([
  [0x0801, 8, 1],
  [0xfd12, 253, 0x12],
  [0x1_0000_0000 * 0x1000 + 0x10_3402, 0x1034, 0x102],
])("the number %i is device %i:%i", (rdev, major, minor) => {
  expect([majorOf(rdev), minorOf(rdev)]).toEqual([major, minor]);
});
