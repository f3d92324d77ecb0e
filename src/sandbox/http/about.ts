import { isoTime } from "../../base/time/date.ts";
import type { FastifyInstance } from "fastify";
import type { Profile } from "../../contract/profile.ts";
import type { Database } from "../../sqlite/database.ts";
import { readOverview } from "../page/overview.ts";
import { renderPage } from "../page/page.ts";
import { CONTENT_SECURITY_POLICY } from "../page/style.ts";
import type { ServiceParts } from "../service.ts";
import type { VirtualClock } from "../store/settings.ts";
import type { Face, Faces } from "./face.ts";
import { keyGuard } from "./guard.ts";
import { openApiDocument } from "./openapi.ts";

/** What the sandbox needs to describe itself. */
interface AboutParts extends Pick<ServiceParts, "faces" | "chain" | "settings"> {
  readonly database: Database;
  /** The clock that the page shows. */
  readonly clock: VirtualClock;
  readonly profile: Profile;
}

/** Adds the routes for people who look at the sandbox: its page, and the documents of its interfaces. */
export function addAboutRoutes(app: FastifyInstance, parts: AboutParts): void {
  const { faces, settings, profile } = parts;
  for (const [name, face] of Object.entries(faces) as [keyof Faces, Face][]) {
    const root = face.root.replace(":appId", settings.appId);
    app.get(`/_sandbox/openapi/${name}`, async () => openApiDocument(name, { face, profile, url: app.listeningOrigin + root }));
  }
  app.get("/", { onRequest: keyGuard(settings.ledgerApiKey) }, async (_request, reply) => {
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", CONTENT_SECURITY_POLICY)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .serializer(String);
    return pageOf(parts);
  });
}

function pageOf({ database, chain, clock, settings }: AboutParts): string {
  const now = clock.now();
  chain.advance(now);
  return renderPage(settings, readOverview(database), isoTime(now));
}
