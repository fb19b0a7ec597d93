// Compares two texts line by line. It is loaded when a call has two texts to compare.

// mostLines is the number of lines up to which two texts are compared. The time and the memory grow
// with the product of both: 4 million steps and 8 MB.
export const mostLines = 2000;

// compare returns the lines of both texts as {sign, line}: sign is "-" for a line of the old text,
// "+" for one of the new, and " " for one of both. It returns null if a text has too many lines.
export function compare(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  if (Math.max(a.length, b.length) > mostLines) return null;
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const n = a.length - head - tail, m = b.length - head - tail, width = m + 1;
  const common = new Uint16Array((n + 1) * width); // the length of the longest common part of a[i...] and b[j...]
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      common[i * width + j] = a[head + i] === b[head + j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = a.slice(0, head).map((line) => ({ sign: " ", line }));
  for (let i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[head + i] === b[head + j]) {
      lines.push({ sign: " ", line: a[head + i] });
      i++;
      j++;
    } else if (i < n && (j === m || common[(i + 1) * width + j] >= common[i * width + j + 1])) lines.push({ sign: "-", line: a[head + i++] });
    else lines.push({ sign: "+", line: b[head + j++] });
  }
  return [...lines, ...a.slice(a.length - tail).map((line) => ({ sign: " ", line }))];
}

const around = 3; // unchanged lines before and after a change

// folded returns lines with the number of unchanged lines in place of those far from a change, as
// {same}.
export function folded(lines) {
  const near = lines.map(() => false);
  lines.forEach(({ sign }, i) => {
    if (sign !== " ") near.fill(true, Math.max(0, i - around), i + around + 1);
  });
  const list = [];
  for (let i = 0; i < lines.length;) {
    let end = i;
    while (end < lines.length && !near[end]) end++;
    if (end - i > 1) list.push({ same: end - i });
    else if (end > i) list.push(lines[i]);
    if (end < lines.length) list.push(lines[end]);
    i = end + 1;
  }
  return list;
}
