import { Banner } from "@patternfly/react-core";
import { ExclamationTriangleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import { useEffect, useState } from "react";
import { formatDuration } from "../../progress/index.ts";
import type { Connection } from "../stream.ts";

/** Tells that the numbers are old, and how old, for as long as they are. */
export function StreamBanner({ connection }: { readonly connection: Connection }) {
  const [now, setNow] = useState(Date.now);
  const since = connection.state === "interrupted" ? connection.since : undefined;
  useEffect(() => {
    if (since === undefined) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [since]);
  if (since === undefined) return null;
  return (
    <Banner status="warning" className="hw-stale" role="status">
      <ExclamationTriangleIcon /> The connection to the server is interrupted. What you see is{" "}
      <strong>{formatDuration((now - since) / 1000)} old</strong>; it comes back by itself.
    </Banner>
  );
}
