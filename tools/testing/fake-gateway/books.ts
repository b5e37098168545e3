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
  /** Stays false for an authorisation that was let go, whose status nevertheless reads 'refunded'. */
  captured: boolean;
  /** Who captured it: the shop, or the gateway by itself; null while nobody has. */
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
  /** Who asked for it: the shop, its owner on the gateway's own pages, or the gateway for money it never collected. */
  by: "api" | "dashboard" | "gateway";
  createdAt: number;
}

export interface Books {
  /** Oldest first, each. */
  orders: Map<string, Order>;
  ordersByReceipt: Map<string, Order[]>;
  payments: Map<string, Payment>;
  paymentsByOrder: Map<string, Payment[]>;
  refunds: Map<string, Refund>;
  refundsByPayment: Map<string, Refund[]>;
  /** The refund an idempotency key made, and what exactly was asked then. */
  refundKeys: Map<string, { request: string; refund: Refund }>;
}

export function createBooks(): Books {
  return {
    orders: new Map(),
    ordersByReceipt: new Map(),
    payments: new Map(),
    paymentsByOrder: new Map(),
    refunds: new Map(),
    refundsByPayment: new Map(),
    refundKeys: new Map(),
  };
}

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 14 letters or digits, as in every id of the gateway. */
export function newId(prefix: "order_" | "pay_" | "rfnd_" | ""): string {
  let id: string = prefix;
  for (let n = 0; n < 14; n++) id += LETTERS[randomInt(LETTERS.length)];
  return id;
}

export function listUnder<Item>(index: Map<string, Item[]>, key: string, item: Item): void {
  const items = index.get(key);
  if (items) items.push(item);
  else index.set(key, [item]);
}

/** @throws Refusal when the map has no such id */
export function have<Item>(map: Map<string, Item>, id: string): Item {
  const found = map.get(id);
  if (!found) throw unknownId();
  return found;
}
