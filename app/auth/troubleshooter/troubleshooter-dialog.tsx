import CircleCheck from "lucide-react/icons/circle-check";
import CircleX from "lucide-react/icons/circle-x";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { Button, Spinner } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useBackStep } from "../../ui/dialogs/use-back-step.ts";
import { isShopReachable } from "../../ui/shop-connection.tsx";
import { plural, t, tNodes } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { type GooglePopup, openGooglePopup } from "../google/google-sign-in.ts";
import {
  type Finding,
  type GoogleTestOutcome,
  googleNotConfigured,
  judgeGoogleTest,
  pending,
  type Status,
} from "./findings.ts";
import { CHECKS, type CheckName, runDiagnostics } from "./run-diagnostics.ts";

type Findings = Partial<Record<CheckName, Finding>>;

const NAMES = Object.keys(CHECKS).filter((name): name is CheckName => name in CHECKS);

interface TroubleshooterDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Finds out in this browser why somebody cannot sign in, and says what to do. */
export function TroubleshooterDialog({ open, onClose }: TroubleshooterDialogProps) {
  const { store } = useShared();
  const { findings, running, run } = useDiagnostics();
  const google = useGoogleTest();
  useBackStep(open ? "open" : "closed", onClose);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title={t("Trouble signing in?")}
      description={t("These checks run in your browser and find the most common causes.")}
      keepOnOutsidePress
    >
      <div className="flex flex-col gap-3">
        <Button variant={findings === null ? "strong" : "plain"} wide busy={running} onClick={run}>
          {t("Run Diagnostics")}
        </Button>
        {findings === null ? null : <Results findings={findings} running={running} />}
        <Button wide busy={google.waiting} onClick={google.start}>
          {t("Test Google Sign-In")}
        </Button>
        {google.finding === null ? null : (
          <ul aria-label={t("Google test")}>
            <FindingItem name={t("Google sign-in")} finding={google.finding} />
          </ul>
        )}
        {store.supportChatUrl === null ? null : (
          <p className="text-center text-muted text-sm">
            <span>{`${t("Still stuck?")} `}</span>
            <a
              href={store.supportChatUrl}
              target="_blank"
              rel="noreferrer"
              className="inline-flex min-h-11 items-center font-medium text-accent underline underline-offset-4"
            >
              {t("Chat on WhatsApp")}
            </a>
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** null: the checks have not been started. */
function useDiagnostics() {
  const { origin } = useShared();
  const [findings, setFindings] = useState<Findings | null>(null);
  const [running, setRunning] = useState(false);
  const run = () => {
    setFindings(Object.fromEntries(NAMES.map((name) => [name, pending()])));
    setRunning(true);
    const report = (check: CheckName, finding: Finding) =>
      setFindings((known) => ({ ...known, [check]: finding }));
    void runDiagnostics(origin, report).finally(() => setRunning(false));
  };
  return { findings, running, run };
}

function Results({ findings, running }: { findings: Findings; running: boolean }) {
  return (
    <div>
      <p role="status" className="text-muted text-sm">
        {running ? t("Checking…") : summarise(Object.values(findings))}
      </p>
      <ul aria-label={t("Diagnostics")} className="divide-y divide-line">
        {NAMES.map((name) => (
          <FindingItem key={name} name={t(CHECKS[name])} finding={findings[name] ?? pending()} />
        ))}
      </ul>
    </div>
  );
}

function summarise(findings: readonly Finding[]): string {
  const errors = findings.filter(({ status }) => status === "error").length;
  if (errors > 0) return plural(errors, "One problem found.", "{count} problems found.");
  return findings.some(({ status }) => status === "warning")
    ? t("Nothing here should stop you from signing in.")
    : t("Everything looks fine.");
}

const LOOKS = {
  success: { icon: CircleCheck, label: "Success", colour: "text-green" },
  warning: { icon: TriangleAlert, label: "Warning", colour: "text-yellow" },
  error: { icon: CircleX, label: "Error", colour: "text-red" },
} as const;

/** One check: its status as icon and word, what was found, and what to do. */
function FindingItem({ name, finding }: { name: string; finding: Finding }) {
  const { status, text, action, code } = finding;
  return (
    <li data-status={status} className="flex gap-3 py-2.5 text-sm">
      <StatusIcon status={status} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-semibold">{name}</span>
          <StatusLabel status={status} />
        </p>
        <p className="text-pretty text-muted">{text}</p>
        {action === undefined ? null : <p className="mt-1 text-pretty">{action}</p>}
        {code === undefined ? null : (
          <p className="mt-1 text-muted text-xs">
            {tNodes("Code for support: {code}", {
              code: (
                <code translate="no" key="code">
                  {code}
                </code>
              ),
            })}
          </p>
        )}
      </div>
    </li>
  );
}

function StatusIcon({ status }: { status: Status }) {
  if (status === "pending")
    return (
      <span className="pt-0.5 text-muted">
        <Spinner />
      </span>
    );
  const { icon: Icon, colour } = LOOKS[status];
  return <Icon aria-hidden="true" className={`mt-0.5 size-4.5 shrink-0 ${colour}`} />;
}

function StatusLabel({ status }: { status: Status }) {
  const look = status === "pending" ? ({ label: "Pending", colour: "text-muted" } as const) : LOOKS[status];
  return <span className={`text-xs ${look.colour}`}>{t(look.label)}</span>;
}

/** Runs the real sign-in with Google in its window, and says in words how it ended. */
function useGoogleTest() {
  const { googleSignIn, origin } = useShared();
  const { revalidate } = useRevalidator();
  const popup = useRef<GooglePopup | null>(null);
  const [finding, setFinding] = useState<Finding | null>(null);
  useEffect(() => () => popup.current?.abandon(), []);

  const onOutcome = async (outcome: GoogleTestOutcome) => {
    popup.current = null;
    const asksShop = outcome.kind === "closed" || outcome.kind === "refused";
    const reachable = asksShop ? await isShopReachable() : true;
    setFinding(judgeGoogleTest(outcome, { reachable, actual: window.location.origin, expected: origin }));
    // Also after a window was closed: its result may have been lost.
    void revalidate();
  };

  const start = () => {
    if (!googleSignIn) return setFinding(googleNotConfigured());
    if (popup.current) return popup.current.focus();
    if (!navigator.onLine) return void onOutcome({ kind: "offline" });
    setFinding({ status: "pending", text: t("Complete your sign-in in the Google window.") });
    const opened = openGooglePopup((outcome) => void onOutcome(outcome));
    popup.current = opened;
    if (opened === null) return void onOutcome({ kind: "blocked" });
    // The browser may believe that it is online. Its window then shows an error page, which never answers.
    void isShopReachable().then((reachable) => reachable || opened.cancel());
  };

  return { finding, start, waiting: finding?.status === "pending" };
}
