import { release } from "node:os";
import { VERSION } from "../../base/version.ts";
import type { DoctorFinding } from "../../report/doctor/shape.ts";
import type { Shell } from "../shell.ts";
import { canShowTree } from "../view/choose.ts";
import { showsColour } from "../view/colour.ts";
import { Findings } from "./finding.ts";
import { isSet } from "../../base/variables.ts";

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** Checks the program and the variables that change how it connects. */
export function lookAtProgram({ node, variables }: Shell): readonly DoctorFinding[] {
  const findings = new Findings("program");
  findings.ok("program.version", `tokenbook ${VERSION}, Node ${node}, system ${release()}`);
  const proxy = PROXIES.find((name) => isSet(variables[name]));
  if (proxy !== undefined) {
    findings.warning("program.proxy", `${proxy} is set, but tokenbook uses no proxy: it connects directly`, {
      why: "a proxy may answer a write again, or in place of the service",
    });
  }
  if (variables["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    const what = "NODE_TLS_REJECT_UNAUTHORIZED is 0: any server would be accepted as the service, so no run begins";
    findings.problem("program.tls-unchecked", what, {
      next: "unset NODE_TLS_REJECT_UNAUTHORIZED; for a certificate of your own: export NODE_EXTRA_CA_CERTS=FILE",
    });
  }
  return findings.all;
}

/** Reports what a run would show in this terminal, and why. */
export function lookAtTerminal({ stdout, variables }: Shell): readonly DoctorFinding[] {
  const findings = new Findings("terminal");
  const shows = canShowTree({ screen: stdout, variables, runs: 1, steps: 1 }) ? "a live tree" : "plain lines";
  const why = [
    stdout.isTTY ? `a terminal of ${stdout.columns} columns` : "no terminal",
    ...["CI", "TERM", "NO_COLOR", "FORCE_COLOR"].flatMap((name) =>
      isSet(variables[name]) ? [`${name}=${variables[name]}`] : [],
    ),
  ];
  findings.ok(
    "terminal.view",
    `runs show ${shows}, ${showsColour(stdout, variables) ? "in colour" : "without colour"}: ${why.join(", ")}`,
  );
  return findings.all;
}
