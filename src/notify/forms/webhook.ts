import { type Form, factsOf, idOf, timeOf } from "../telling.ts";

/** One flat JSON object. Its `text` alone is what Mattermost, Rocket.Chat and the like show. */
export const webhook: Form = {
  compose: (telling, { url, headers }) => ({
    url,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ id: idOf(telling), time: timeOf(telling.atMs), ...factsOf(telling) }),
  }),
};
