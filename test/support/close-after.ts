/**
 * Returns a function that takes what is to be closed after the tests of the describe block that calls this. The last is closed first.
 * Nothing is closed that was not opened, because the block was skipped.
 */
export function closeAfter(): (close: () => unknown) => void {
  const open: (() => unknown)[] = [];
  after(async () => {
    for (const close of open.reverse()) await close();
  });
  return (close) => open.push(close);
}
