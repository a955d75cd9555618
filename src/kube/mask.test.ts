import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { Mask, maskErrors } from "./mask.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["itself", "s3cr3t-one", "login s3cr3t-one failed", "login *** failed"],
  ["in base64", "s3cr3t-one", `got ${base64("s3cr3t-one")}!`, "got ***!"],
  ["in base64 with padding", "s3cr3t-on", `got ${base64("s3cr3t-on")}`, "got ***"],
  ["a line of it", "first-line\nsecond-line\n", "said second-line", "said ***"],
  ["what a line assigns", "[a]\naws_secret_access_key = AbC/dEf+g\n", "key AbC/dEf+g", "key ***"],
  ["what it holds as JSON", '{"a":{"private_key":"--B--\\nMIIabc\\n"}}', "sent MIIabc", "sent ***"],
  ["without its line end", "s3cr3t-one\n", "s3cr3t-one", "***"],
  ["too short to be masked", "abc", "abcdef", "abcdef"],
])("text() takes a value out: %s", (_how, value, said, want) => {
  const mask = new Mask();
  mask.learn(value);
  expect(mask.text(said)).toBe(want);
  expect(mask.text(mask.text(said)), "a second time changes nothing").toBe(want);
});

test("text() takes the longer value first, so that no rest of it stays", () => {
  const mask = new Mask();
  for (const value of ["pass", "password-of-mine"]) mask.learn(value);
  expect(mask.text("password-of-mine, pass")).toBe("***, ***");
});

test("learnSecret() reads data as Secrets have it", () => {
  const mask = new Mask();
  mask.learnSecret({ data: { user: base64("somebody"), password: base64("hunter22") } });
  mask.learnSecret(undefined);
  expect(mask.text("somebody:hunter22")).toBe("***:***");
});

test("learn() stops at its bounds, and what was learned before stays", () => {
  const mask = new Mask();
  mask.learn("first-value");
  mask.learn(Array.from({ length: 20_000 }, (_, i) => `line-${i}-`).join("\n"));
  expect(mask.text("first-value line-1-; line-19999-")).toBe("*** ***; line-19999-");
});

test("error() keeps the error and its code, and reaches its causes", () => {
  const mask = new Mask();
  mask.learn("hunter22");
  const cause = new Error("server said hunter22");
  const error = new AppError("STORE_DENIED", "denied: hunter22", { cause });
  expect(mask.error(error)).toBe(error);
  expect(error.code).toBe("STORE_DENIED");
  expect(`${error.message} ${error.stack} ${cause.message}`).not.toContain("hunter22");
  expect(mask.error("no error")).toBe("no error");
  const aborted = new DOMException("stopped with hunter22", "AbortError");
  expect((mask.error(aborted) as Error).message).toBe("stopped with ***");
});

test("maskErrors() lets no value through", async () => {
  const mask = new Mask();
  mask.learn("hunter22");
  const place = maskErrors({ open: () => Promise.reject(new Error("with hunter22")) }, mask);
  await expect(place.open()).rejects.toThrow("with ***");
});
