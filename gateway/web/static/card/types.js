// What the input types are to a draft. Types that are not here are answered by a text that is typed.
const types = {
  select: { choice: true },
  multiselect: { choice: true, many: true },
  confirm: { choice: true },
  scale: { placed: true },
  rank: { placed: true, many: true },
};

const is = (trait) => (part) => Object.hasOwn(types, part.input_type) && types[part.input_type][trait] === true;

// choosable reports whether a question is answered by options, or by own words in their place.
export const choosable = is("choice");

// placed reports whether the choices of a draft are a number of a scale, or an order. Own words are
// given in addition, not in their place.
export const placed = is("placed");

// many reports whether an answer has values.
export const many = is("many");
