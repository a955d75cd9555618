import { expect, test } from "vitest";
import { grammar } from "./grammar.ts";

test.each<[keyof typeof grammar, readonly string[], readonly string[]]>([
  ["namespace", ["shop", "a-1", "x".repeat(63)], ["", "../x", "a.b", "A", "-a", "a-", "x".repeat(64), "a\n"]],
  ["name", ["web-0", "a.b", "x".repeat(253)], ["", "..", "a..b", ".a", "a/b", "A", "-a", "x".repeat(254)]],
  ["volume", ["data"], ["", "../data", "a.b", "-x"]],
  ["uid", ["6f0c1a9e-0000-4000-8000-000000000000", "0123abcd"], ["", "-x", "a/b", "a b", "x".repeat(129)]],
  [
    "labelKey",
    ["a", "velero.io/backup-name", "A_b"],
    ["", "/a", "a/", "a/b/c", "__proto__", "A.io/x", "a b"],
  ],
  ["labelValue", ["", "a", "A_b.c-1"], ["-a", "a b", "a/b", "x".repeat(64)]],
  [
    "resticSnapshot",
    ["0123abcd", "a".repeat(64)],
    ["", "latest", "0123ABCD", "0123abc", "--x", "0123abcd\n"],
  ],
  ["kopiaSnapshot", ["a".repeat(32)], ["0123abcd", "k".repeat(32), "a".repeat(33)]],
  ["pluginSnapshot", ["snap-1", "/subscriptions/a/b c"], ["", "--x", "a\0", "a\nb", "x".repeat(1025)]],
  ["plugin", ["velero.io/aws", "example.com/p"], ["", "../p", "a/b/c", "-p"]],
  ["line", ["/var/lib/kubelet/pods", "s3:http://minio:9000/b"], ["", "-h", "a\r\nb", "x".repeat(4097)]],
])("grammar.%s takes what it should", (key, right, wrong) => {
  expect(right.filter((text) => !grammar[key].fits(text))).toEqual([]);
  expect(wrong.filter((text) => grammar[key].fits(text))).toEqual([]);
});
