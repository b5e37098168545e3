import { randomInt } from "node:crypto";
import { unknownId } from "./refusal.ts";

/** Amounts in paise, times in milliseconds. */
export interface Order {
  id: string;
  receipt: string | null;
  amount: number;
  amountPaid: number;
  currency: string;
  status: "created" | "attempted" | "paid";
  attempts: number;
  automaticCapture: boolean;
  notes: Record<string, string>;
  createdAt: number;
}

export interface Payment {
  id: string;
  order: Order;
  amount: number;
  currency: string;
  status: "created" | "authorized" | "captured" | "failed" | "refunded";
  /** Stays false for an authorised payment that the gateway returned, although its status is 'refunded'. */
  captured: boolean;
  /** Captured by the shop through the API, or by the gateway itself; null while not captured. */
  capturedBy: "api" | "gateway" | null;
  amountRefunded: number;
  errorDescription: string | null;
  createdAt: number;
}

export interface Refund {
  id: string;
  payment: Payment;
  amount: number;
  status: "pending" | "processed" | "failed";
  /**
   * Requested by the shop, by its owner on the gateway's pages, or by the gateway for a payment that nobody captured.
   */
  by: "api" | "dashboard" | "gateway";
  createdAt: number;
}

/** All orders, payments and refunds of the fake, in memory. Every map and list is ordered oldest first. */
export interface GatewayRecords {
  orders: Map<string, Order>;
  ordersByReceipt: Map<string, Order[]>;
  payments: Map<string, Payment>;
  paymentsByOrder: Map<string, Payment[]>;
  refunds: Map<string, Refund>;
  refundsByPayment: Map<string, Refund[]>;
  /** By idempotency key: the refund, and the request that made it. */
  refundsByKey: Map<string, { request: string; refund: Refund }>;
}

export function createRecords(): GatewayRecords {
  return {
    orders: new Map(),
    ordersByReceipt: new Map(),
    payments: new Map(),
    paymentsByOrder: new Map(),
    refunds: new Map(),
    refundsByPayment: new Map(),
    refundsByKey: new Map(),
  };
}

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 14 letters or digits, as in every id of the gateway. */
export function newId(prefix: "order_" | "pay_" | "rfnd_" | ""): string {
  let id: string = prefix;
  for (let n = 0; n < 14; n++) id += LETTERS[randomInt(LETTERS.length)];
  return id;
}

export function appendTo<Item>(index: Map<string, Item[]>, key: string, item: Item): void {
  const items = index.get(key);
  if (items) items.push(item);
  else index.set(key, [item]);
}

/** @throws Refusal when the map has no such id */
export function findOrRefuse<Item>(map: Map<string, Item>, id: string): Item {
  const found = map.get(id);
  if (!found) throw unknownId();
  return found;
}
