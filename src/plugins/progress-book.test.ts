import { expect, test } from "vitest";
import { ProgressBook, type ReportBytes } from "./progress-book.ts";

test("ProgressBook tells how work goes, ends well and fails", async () => {
  const book = new ProgressBook();
  const gate = Promise.withResolvers<undefined>();
  let report: ReportBytes | undefined;
  book.begin("a", async (tell) => {
    report = tell;
    return gate.promise;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(book.progress("a")).toEqual({ phase: "InProgress" });
  report?.(3, 10);
  expect(book.progress("a")).toEqual({ phase: "InProgress", bytesDone: 3, totalBytes: 10 });
  gate.resolve(undefined);
  await book.stop("b");
  await new Promise((resolve) => setImmediate(resolve));
  expect(book.progress("a")).toEqual({ phase: "Completed", bytesDone: 10, totalBytes: 10 });
  book.begin("c", () => Promise.reject(new Error("full")));
  await new Promise((resolve) => setImmediate(resolve));
  expect(book.progress("c")).toEqual({ phase: "Failed", message: "full" });
});

test("stop() ends work and forgets it", async () => {
  const book = new ProgressBook();
  book.begin(
    "a",
    (_report, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  await book.stop("a");
  expect(book.progress("a")).toBeUndefined();
});
