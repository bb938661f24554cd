export const greet = (name) => `<p>Hello, ${name}!</p>`;
