import { data, Form, useNavigation } from "react-router";
import { isDomainError } from "#core/errors.ts";
import { isStopRemindersLink, stopReminders } from "#core/reminders/opt-out.server.ts";
import { SmallPage } from "../../auth/small-page.tsx";
import { shopContext } from "../../request/request-context.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { t } from "../../ui/texts/texts.ts";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import type { Route } from "./+types/reminders-page";

const TITLE = "Stop reminders?";

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, t(TITLE));

export const headers: Route.HeadersFunction = () => ({
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex",
});

/** The link of a reminder. It changes nothing, because programs that check mails follow it. */
export function loader({ request, context }: Route.LoaderArgs) {
  return { isGenuine: isStopRemindersLink(context.get(shopContext), linkOf(request)) };
}

/** The button of the page, and of mail programs (RFC 8058), which send no cookies. */
export async function action({ request, context }: Route.ActionArgs) {
  try {
    await stopReminders(context.get(shopContext), linkOf(request));
    return data({ isStopped: true });
  } catch (error) {
    if (isDomainError(error, "reminder-link-invalid")) return data({ isStopped: false }, { status: 400 });
    throw error;
  }
}

function linkOf(request: Request) {
  return Object.fromEntries(new URL(request.url).searchParams);
}

/** The page that the link of a reminder opens, for somebody who need not be signed in. */
export default function RemindersPage({ loaderData, actionData }: Route.ComponentProps) {
  const busy = useNavigation().state !== "idle";
  if (!loaderData.isGenuine)
    return (
      <SmallPage title={t("Reminders")}>
        <Banner tone="error" startsPage>
          {t("This link doesn’t work. You can turn reminders off in your account.")}
        </Banner>
        <LinkButton to="/account" variant="strong" wide>
          {t("Go to Your Account")}
        </LinkButton>
      </SmallPage>
    );
  if (actionData?.isStopped)
    return (
      <SmallPage title={t("Reminders")}>
        <Banner tone="success" startsPage>
          {t("You’ll get no more reminders.")}
        </Banner>
        <p className="text-muted text-sm">{t("You can turn them on again in your account.")}</p>
      </SmallPage>
    );
  return (
    <SmallPage title={t(TITLE)}>
      <p className="text-sm">
        {t(
          "You’ll get no more emails before a pass ends. Receipts and other emails about your account still arrive.",
        )}
      </p>
      <Form method="post">
        <Button type="submit" variant="strong" wide busy={busy}>
          {t("Stop Reminders")}
        </Button>
      </Form>
    </SmallPage>
  );
}
