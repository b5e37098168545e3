import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub } from "react-router";
import { expect, test } from "vitest";
import { sampleOffer } from "#tests/fixtures/checkout-samples.ts";
import { Bill } from "./bill.tsx";
import type { CheckoutState, Step } from "./checkout-state.ts";
import { NO_COUPON } from "./coupon-machine.ts";

function render(step: Step, supportPhones: readonly { number: string }[]): string {
  const offer = sampleOffer();
  const tool = { slug: "canva", name: "Canva", price: 119 };
  const state: CheckoutState = {
    step,
    tool,
    offer,
    optionLabel: "30 Days",
    coupon: NO_COUPON,
    visible: true,
  };
  const Shown = () => (
    <Bill
      state={state}
      offer={offer}
      isForSale={false}
      now={offer.now}
      payButton={{ current: null }}
      dispatch={() => undefined}
      onPay={() => undefined}
    />
  );
  const Page = createRoutesStub([{ id: "shop-frame", path: "/", Component: Shown }]);
  const shared = { store: { name: "Daypass", supportPhones }, testPayments: false };
  return renderToStaticMarkup(<Page hydrationData={{ loaderData: { "shop-frame": shared } }} />);
}

test("a shop without payments leads to the chat and does not ask to check again", () => {
  const html = render({ name: "not-set-up" }, [{ number: "919812345678" }]);
  expect(html).toContain("https://wa.me/919812345678");
  expect(html).toContain("Contact via WhatsApp");
  expect(html).not.toContain("Check again");
});

test("a shop without payments and without a chat number says where to ask", () => {
  const html = render({ name: "not-set-up" }, []);
  expect(html).toContain("Daypass has no WhatsApp number yet.");
  expect(html).not.toContain("Check again");
});

test("a tool that is sold out can still be checked again", () => {
  expect(render({ name: "sold-out" }, [{ number: "919812345678" }])).toContain("Check again");
});
