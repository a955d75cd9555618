import { accessRequestOf, kindNamed } from "../../../src/server/access-requests.ts";
import { isKnownHost, readAddress } from "../../../src/server/hosts.ts";
import { isPagePath } from "../../../src/server/page.ts";
import { idOf, operationAddress, readRoute, writeRoute } from "../../../src/ui/route.ts";
import { mutateText } from "../bytes.ts";
import { hostileText } from "../json.ts";
import { BrokenLaw, target } from "../target.ts";

const paths = [
  "/api/operations/velero/Backup/b/log",
  "/api/objects/Backup/velero/b",
  "/api/choices/Namespace",
  "/api/stream",
  "/metrics",
  "/operations/backup/velero/b",
  "/create/backup",
];
const hosts = ["localhost:8090", "[::1]:80", "127.0.0.1", "0.0.0.0:65535", "headway.example.com:443"];

export const httpPaths = target<{
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly host: string;
}>({
  name: "http-paths",
  covers: "paths, queries and host names of requests: what right each needs, and the addresses of the page",
  make: (random) => ({
    method: random.of(["GET", "POST", "HEAD", "x"]),
    path: random.oneIn(8) ? hostileText(random) : mutateText(random, random.of(paths), random.of(paths)),
    search: mutateText(random, "?namespace=shop&cluster=a&kind=Backup,Restore&from=x&q=%C3%A9"),
    host: mutateText(random, random.of(hosts)),
  }),
  run({ method, path, search, host }) {
    const request = accessRequestOf(method, path, search);
    isKnownHost(host, ["headway.example.com"]);
    const place = readAddress(host);
    if (place && !(place.port <= 65_535)) throw new BrokenLaw(`port ${place.port}`);
    isPagePath(path);
    kindNamed(path);
    const route = readRoute(path, search);
    if (isWellFormed(route)) {
      readRoute(writeRoute(route), "");
      if (route.page === "operation") operationAddress(idOf(route));
    }
    return request !== undefined;
  },
});

/** Half a surrogate pair cannot be part of an address; browsers never give one. */
function isWellFormed(route: object): boolean {
  return Object.values(route).every((value) => typeof value !== "string" || value.isWellFormed());
}
