import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { listMyDevices } from "#core/devices/manage-devices.server.ts";
import { INVALID_REQUEST } from "#core/parse.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action } from "./device-actions.ts";

const shop = await openDeviceShop();
afterAll(() => shop.close());

async function post(ctx: Context, fields: Record<string, string>) {
  const url = new URL("/dashboard/devices", ctx.store.origin);
  const request = new Request(url, { method: "POST", body: new URLSearchParams(fields) });
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const { data, init } = await action({
    request,
    url,
    context,
    params: {},
    pattern: "/dashboard/devices",
  });
  return { status: init?.status ?? 200, ...data };
}

test("a device is renamed and released by its buyer, and not by a visitor or by another buyer", async () => {
  const buyer = await shop.buyer();
  await shop.connect(buyer);
  const devices = async () => (await listMyDevices(buyer)).devices;
  const deviceId = (await devices())[0]?.id ?? "";
  for (const intent of ["rename", "release"]) {
    const fields = { intent, deviceId, name: "Mine" };
    expect(await post(shop.visitor(), fields)).toMatchObject({ status: 401, ok: false });
    expect(await post(await shop.buyer(), fields)).toMatchObject({ status: 404, ok: false });
  }
  expect(await devices()).toMatchObject([{ id: deviceId, name: "Chrome on Linux" }]);

  expect(await post(buyer, { intent: "rename", deviceId, name: "Mine" })).toMatchObject({ ok: true });
  expect(await devices()).toMatchObject([{ name: "Mine" }]);
  expect(await post(buyer, { intent: "release", deviceId })).toMatchObject({ status: 200, ok: true });
  expect(await devices()).toEqual([]);
});

test("a mistake and an unknown intent in a device form are refused and change nothing", async () => {
  const buyer = await shop.buyer();
  await shop.connect(buyer);
  const deviceId = (await listMyDevices(buyer)).devices[0]?.id ?? "";
  expect(await post(buyer, { intent: "rename", deviceId, name: " " })).toMatchObject({
    status: 422,
    ok: false,
    message: "Enter a name.",
  });
  expect(await post(buyer, { intent: "release", deviceId: "none" })).toMatchObject({
    status: 422,
    ok: false,
    message: INVALID_REQUEST,
  });
  expect(await post(buyer, { intent: "delete", deviceId })).toMatchObject({ status: 400, ok: false });
  expect((await listMyDevices(buyer)).devices).toMatchObject([{ id: deviceId, name: "Chrome on Linux" }]);
});
