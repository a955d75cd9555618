import { expect, test } from "vitest";
import { proxyFor } from "./proxy.ts";

const env = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: ".local, 10.0.0.0/8,exact.example.com" };

test.each<[string, string | undefined, Record<string, string>, string | undefined]>([
  ["https://api.example.com", undefined, {}, undefined],
  ["https://api.example.com", undefined, env, "http://proxy:3128/"],
  ["https://api.example.com", "https://own:8443", env, "https://own:8443/"],
  ["https://api.local", undefined, env, undefined],
  ["https://api.local", "http://own", env, "http://own/"],
  ["https://10.1.2.3:6443", undefined, env, undefined],
  ["https://11.1.2.3:6443", undefined, env, "http://proxy:3128/"],
  ["https://exact.example.com", undefined, env, undefined],
  ["https://127.0.0.1:6443", undefined, env, undefined],
  ["https://[::1]:6443", undefined, env, undefined],
  ["http://api.example.com", undefined, env, undefined],
  ["http://api.example.com", undefined, { http_proxy: "proxy:80" }, "http://proxy/"],
  ["https://api.example.com", undefined, { ...env, NO_PROXY: "*" }, undefined],
])("proxyFor(%s, %s) #%#", (server, configured, environment, want) => {
  expect(proxyFor(server, configured, environment)).toBe(want);
});

test("proxyFor() refuses what it cannot speak", () => {
  const ask = () => proxyFor("https://x", "socks5://proxy:1080", {});
  expect(ask).toThrow(expect.objectContaining({ code: "KUBE_CONFIG" }));
});
