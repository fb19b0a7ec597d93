// Questions that depend on the answer to an earlier one, by the gateway's rules (tools/when.go).

// before returns the index of the question that question i depends on, -1 if it is always asked.
export function before(questions, i) {
  const on = questions[i].when?.question;
  return on === undefined ? -1 : questions.findIndex((q, j) => j < i && q.id === on);
}

// met reports whether an answer meets a condition.
export function met(when, answer) {
  if (!answer || answer.skipped || answer.declined) return false;
  const { value } = answer;
  if (value === undefined || value === null) return answer.values?.some((v) => when.is.includes(v)) ?? false;
  return when.is.includes(String(value)) || typeof value === "boolean" && when.is.includes(value ? "yes" : "no");
}

// applies returns for each question whether it is asked, given the answers to those before it.
export function applies(questions, answers) {
  const asked = [];
  questions.forEach((q, i) => {
    const j = before(questions, i);
    asked.push(j < 0 || asked[j] && met(q.when, answers[j]));
  });
  return asked;
}
