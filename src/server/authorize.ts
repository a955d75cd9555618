import { createHash, timingSafeEqual } from "node:crypto";
import type { KubeObject } from "../api/index.ts";
import { builtIn, type Client, type Clock, type Resource, systemClock } from "../kube/index.ts";

/** What somebody wants. */
export type AccessRequest =
  | {
      readonly verb: "get" | "list" | "watch" | "create" | "patch";
      /** Operations of headway.dev when absent. */
      readonly group?: string;
      readonly resource?: string;
      readonly namespace?: string | undefined;
      readonly name?: string;
    }
  | { readonly path: string };

/** Says who may ask for what: 401 for nobody, 403 for somebody who may not. */
export interface Authorizer {
  readonly check: (token: string | undefined, request: AccessRequest) => Promise<200 | 401 | 403>;
}

/** One token opens everything: for a server on one's own machine. */
export function tokenAuthorizer(token: string): Authorizer {
  const want = digest(token);
  return {
    check: async (given) => (given !== undefined && timingSafeEqual(digest(given), want) ? 200 : 401),
  };
}

const tokenReviews: Resource = builtIn.tokenReviews;
const accessReviews: Resource = builtIn.subjectAccessReviews;
/** How long an answer is believed: a token that was taken back works so much longer. */
const trustMs = 10_000;
/** Answers kept at a time; the oldest goes. */
const maxAnswers = 1_000;

type Review = KubeObject & {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly allowed?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
};

/** The cluster decides: whose token it is (TokenReview), and whether they may read operations (SubjectAccessReview). */
export function clusterAuthorizer(client: Pick<Client, "create">, clock: Clock = systemClock): Authorizer {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<200 | 401 | 403> }>();
  const ask = async (token: string, request: AccessRequest): Promise<200 | 401 | 403> => {
    const who = await review(client, tokenReviews, { token });
    const { user, authenticated } = who.status ?? {};
    if (authenticated !== true || !user?.username) return 401;
    const spec = { user: user.username, uid: user.uid, groups: user.groups, extra: user.extra };
    const may = await review(client, accessReviews, { ...spec, ...attributesOf(request) });
    return may.status?.allowed === true ? 200 : 403;
  };
  return {
    check(token, request) {
      if (token === undefined || token === "") return Promise.resolve(401);
      const key = `${digest(token).toString("hex")} ${JSON.stringify(request)}`;
      const known = answers.get(key);
      if (known && clock.monotonic() - known.at < trustMs) return known.answer;
      const answer = ask(token, request);
      answers.delete(key);
      answers.set(key, { at: clock.monotonic(), answer });
      answer.catch(() => answers.delete(key)); // a cluster that is away has not answered
      const [oldest] = answers.keys();
      if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
      return answer;
    },
  };
}

function review(client: Pick<Client, "create">, resource: Resource, spec: object): Promise<Review> {
  const { kind, group, version } = resource;
  return client.create<Review>(resource, { apiVersion: `${group}/${version}`, kind, spec });
}

function attributesOf(request: AccessRequest): object {
  if ("path" in request) return { nonResourceAttributes: { path: request.path, verb: "get" } };
  const { verb, group = "headway.dev", resource = "operations", namespace, name } = request;
  return {
    resourceAttributes: { group, resource, verb, ...(namespace && { namespace }), ...(name && { name }) },
  };
}

/** Equal in length whatever was given, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
