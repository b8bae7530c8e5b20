// Writes numbers and instants by the rules of elastic/figures.py; tests/figures.py holds both to one table.

const grouped = (value, least = 0) => value.toLocaleString("en", { minimumFractionDigits: least, maximumFractionDigits: 20 });

export const number = (value) => grouped(Number(value.toPrecision(3)));

export function usd(value) {
  const sign = value < 0 ? "-" : "";
  const size = Math.abs(value);
  if (size === 0) return "$0";
  if (size < 1e-6) return `${sign}<$0.000001`;
  if (size >= 999.995) return `${sign}$${grouped(Math.round(size))}`;
  return `${sign}$${grouped(Number(size >= 1 ? size.toFixed(2) : size.toPrecision(3)), 2)}`;
}

export function moment(at_s, now_s) {
  const [then, now] = [at_s, now_s].map((each) => new Date(each * 1000).toUTCString());
  const [day, month, time] = [then.slice(5, 7), then.slice(8, 11), then.slice(17, 25)];
  if (then.slice(0, 16) === now.slice(0, 16)) return `${time} UTC`;
  const year = Math.abs(Math.floor((at_s - now_s) / 86_400)) < 183 ? "" : ` ${then.slice(12, 16)}`;
  return `${day} ${month}${year} ${time.slice(0, 5)} UTC`;
}
