// Indexes documents (id TAB text, one a line) and runs queries of Lucene's classic syntax, one a
// line: of each, "=" and the ids of the k best. For tests and tools/elsewhere_table.py.

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

public class LuceneSearch {
    public static void main(String[] arguments) throws Exception {
        Analyzer analyzer = new EnglishAnalyzer();
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
            for (String line : Files.readAllLines(Path.of(arguments[0]))) {
                int tab = line.indexOf('\t');
                Document document = new Document();
                document.add(new StringField("id", line.substring(0, tab), Field.Store.YES));
                document.add(new TextField("text", line.substring(tab + 1), Field.Store.NO));
                writer.addDocument(document);
            }
        }
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setSimilarity(new BM25Similarity());
        for (String line : Files.readAllLines(Path.of(arguments[1]))) {
            StringBuilder found = new StringBuilder("=");
            QueryParser parser = new QueryParser("text", analyzer);
            for (ScoreDoc hit : searcher.search(parser.parse(line), Integer.parseInt(arguments[2])).scoreDocs) {
                found.append('\t').append(searcher.doc(hit.doc).get("id"));
            }
            System.out.println(found);
        }
    }
}
