/** On every page while payments go through the sandbox. */
export function TestPaymentsBanner() {
  return (
    <aside aria-label="Payments" className="bg-marigold px-4 py-1.5 text-center text-on-marigold text-xs">
      <strong className="font-semibold">Test payments</strong> · no money moves in this shop
    </aside>
  );
}
