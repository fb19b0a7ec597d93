// Questions that hang on the answer to an earlier one, by the rules of the gateway (tools/when.go).

// before is the index of the question that question i looks back on, -1 if it is always asked.
export function before(questions, i) {
  const on = questions[i].when?.question;
  return on === undefined ? -1 : questions.findIndex((q, j) => j < i && q.id === on);
}

// met says that an answer is one on which the question with this condition is asked.
export function met(when, answer) {
  if (!answer || answer.skipped || answer.declined) return false;
  const { value } = answer;
  if (value === undefined || value === null) return answer.values?.some((v) => when.is.includes(v)) ?? false;
  return when.is.includes(String(value)) || typeof value === "boolean" && when.is.includes(value ? "yes" : "no");
}

// applies says for each question whether it is asked, given the answers to those before it.
export function applies(questions, answers) {
  const asked = [];
  questions.forEach((q, i) => {
    const j = before(questions, i);
    asked.push(j < 0 || asked[j] && met(q.when, answers[j]));
  });
  return asked;
}
